#include "datatype/layout.h"

#include "base/live.h"
#include "datatype/datatype.h"
#include "plain/fail.h"

#include <stdlib.h>

enum {
    LOOP_MAX = 16,   /* average runs per piece up to which runs are listed one by one */
    PLACES_MIN = 16, /* pieces that make a list of places worthwhile */
    INLINE_PIECES =
        8 /* up to this many pieces are copied into the layout that takes them in, to be merged there */
};

struct layout *layout_new(void)
{
    struct layout *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    live_add(LIVE_LAYOUT, 1);
    atomic_store_explicit(&l->refs, 1, memory_order_relaxed); /* nobody else knows it yet */
    return l;
}

void layout_ref(struct layout *layout)
{
    atomic_fetch_add_explicit(&layout->refs, 1, memory_order_relaxed);
}

void layout_unref(struct layout *layout)
{
    if (!layout || atomic_fetch_sub_explicit(&layout->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < layout->pieces; i++)
        layout_unref(layout->piece[i].body);
    free(layout->place);
    free(layout->piece);
    free(layout);
    live_add(LIVE_LAYOUT, -1);
}

static bool is_run(const struct loop *p)
{
    return !p->body && p->count == 1;
}

static MPI_Count piece_bytes(const struct loop *p)
{
    return p->count * p->bytes;
}

/* Turns a loop whose runs are adjacent into one run. */
static void close_gaps(struct loop *p)
{
    if (p->body || (p->count > 1 && p->stride != p->bytes))
        return;
    p->bytes *= p->count;
    p->count = 1;
    p->stride = 0;
}

/* Merges `next` into `last`, the piece just before it. False when they do not fit. */
static bool layout_join(struct loop *last, const struct loop *next)
{
    MPI_Count stride = last->count > 1 ? last->stride : next->count > 1 ? next->stride : next->at - last->at;

    if (last->basic != next->basic)
        return false;
    if (is_run(last) && is_run(next) && last->at + last->bytes == next->at) {
        last->bytes += next->bytes;
        return true;
    }
    if (last->body != next->body || last->bytes != next->bytes ||
        (next->count > 1 && next->stride != stride) || last->at + last->count * stride != next->at)
        return false;
    last->stride = stride;
    last->count += next->count;
    return true;
}

static int layout_append(struct layout *layout, struct loop p)
{
    if (layout->is_plain)
        p.basic = NULL;
    close_gaps(&p);
    p.before = layout->bytes;
    layout->bytes += piece_bytes(&p);
    if (layout->pieces && layout_join(&layout->piece[layout->pieces - 1], &p))
        return 0;
    if (layout->pieces == layout->room) {
        size_t room = layout->room ? 2 * layout->room : 2;
        struct loop *more = realloc(layout->piece, room * sizeof *more);

        if (!more)
            return fail(MPI_ERR_NO_MEM, "no memory for a datatype of %zu pieces", room);
        layout->piece = more;
        layout->room = room;
    }
    if (p.body)
        layout_ref(p.body);
    layout->piece[layout->pieces++] = p;
    return 0;
}

int layout_add_run(struct layout *layout, MPI_Count at, MPI_Count bytes, const struct datatype *basic)
{
    struct loop run = {.at = at, .count = 1, .bytes = bytes, .basic = basic};

    if (bytes == 0)
        return 0;
    if (basic)
        layout->elements += bytes / basic->size;
    return layout_append(layout, run);
}

/* Turns `count` copies of the only piece of a layout into one piece. False when it takes two loops. */
static bool flatten(struct loop *p, MPI_Count at, MPI_Count count, MPI_Count stride)
{
    p->at += at;
    if (count == 1)
        return true;
    if (p->count == 1)
        p->stride = stride;
    else if (stride != p->count * p->stride)
        return false;
    p->count *= count;
    close_gaps(p);
    return true;
}

int layout_add(struct layout *layout, MPI_Count at, MPI_Count count, MPI_Count stride, struct layout *body)
{
    struct loop p = {.at = at, .count = count, .stride = stride, .bytes = body->bytes, .body = body};
    int error = 0;

    if (count == 0 || body->bytes == 0)
        return 0;
    layout->elements += count * body->elements;
    if (count == 1 && body->pieces <= INLINE_PIECES) {
        for (size_t i = 0; i < body->pieces && !error; i++) {
            p = body->piece[i];
            p.at += at;
            error = layout_append(layout, p);
        }
        return error;
    }
    if (body->pieces == 1) {
        struct loop one = body->piece[0];

        if (flatten(&one, at, count, stride))
            return layout_append(layout, one);
    }
    return layout_append(layout, p);
}

/* Whether all pieces are runs of one length, close to each other, and in loops so short that it pays to list
 * the runs one by one. */
static bool is_scattered(const struct layout *l)
{
    MPI_Count first = l->pieces ? l->piece[0].at : 0, run = l->pieces ? l->piece[0].bytes : 1;

    if (l->pieces < PLACES_MIN || l->bytes / run / LOOP_MAX > (MPI_Count)l->pieces)
        return false;
    for (size_t i = 0; i < l->pieces; i++) {
        const struct loop *p = &l->piece[i];
        MPI_Count low = p->at - first, high = low + (p->count - 1) * p->stride;

        if (p->body || p->bytes != run || low != (int32_t)low || high != (int32_t)high)
            return false;
    }
    return true;
}

/* If memory is out there is no list, and the pieces are used. */
static void list_places(struct layout *l)
{
    int32_t *place;

    if (!is_scattered(l))
        return;
    l->places = (size_t)(l->bytes / l->piece[0].bytes);
    l->place = place = malloc(l->places * sizeof *place);
    for (size_t i = 0; place && i < l->pieces; i++) {
        for (MPI_Count k = 0; k < l->piece[i].count; k++)
            *place++ = (int32_t)(l->piece[i].at + k * l->piece[i].stride - l->piece[0].at);
    }
}

void layout_close(struct layout *layout)
{
    size_t kept = 1;

    for (size_t i = 1; i < layout->pieces; i++) {
        if (layout_join(&layout->piece[kept - 1], &layout->piece[i]))
            layout_unref(layout->piece[i].body);
        else
            layout->piece[kept++] = layout->piece[i];
    }
    if (layout->pieces)
        layout->pieces = kept;
    list_places(layout);
}

struct loop layout_items(struct layout *layout, MPI_Count extent)
{
    struct loop p = {
        .count = INT64_MAX, .stride = extent, .bytes = layout->bytes, .body = layout, .basic = NULL};

    if (layout->pieces == 1 && is_run(&layout->piece[0])) {
        p.at = layout->piece[0].at;
        p.body = NULL;
        p.basic = layout->piece[0].basic;
    }
    return p;
}

size_t layout_piece_of(const struct layout *l, MPI_Count byte)
{
    size_t low = 0, high = l->pieces;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (l->piece[middle].before <= byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

MPI_Count layout_first_run(const struct loop *loop)
{
    while (loop->body && loop->body->pieces)
        loop = loop->body->piece;
    return loop->bytes;
}

static MPI_Count elements_before(const struct layout *l, size_t piece)
{
    MPI_Count elements = 0;

    for (size_t i = 0; i < piece; i++) {
        const struct loop *p = &l->piece[i];

        elements += p->count * (p->body ? p->body->elements : p->bytes / p->basic->size);
    }
    return elements;
}

MPI_Count layout_elements(const struct layout *typed, MPI_Count bytes)
{
    const struct layout *l = typed;
    MPI_Count elements = 0;

    while (bytes) {
        size_t i = layout_piece_of(l, bytes);
        const struct loop *p = &l->piece[i];

        elements += elements_before(l, i);
        bytes -= p->before;
        if (!p->body)
            return bytes % p->basic->size ? MPI_UNDEFINED : elements + bytes / p->basic->size;
        elements += bytes / p->bytes * p->body->elements;
        bytes %= p->bytes;
        l = p->body;
    }
    return elements;
}

MPI_Count layout_bytes(const struct layout *typed, MPI_Count elements)
{
    const struct layout *l = typed;
    MPI_Count bytes = 0;

    while (elements) {
        const struct loop *p = l->piece;
        MPI_Count each = p->body ? p->body->elements : p->bytes / p->basic->size;

        while (elements > p->count * each) {
            elements -= p->count * each;
            p++;
            each = p->body ? p->body->elements : p->bytes / p->basic->size;
        }
        bytes += p->before;
        if (!p->body)
            return bytes + elements * p->basic->size;
        bytes += elements / each * p->bytes;
        elements %= each;
        l = p->body;
    }
    return bytes;
}
