/* Packing and unpacking walk a layout in the same way. Only the copy at the leaves has a direction. */
#include "datatype/layout.h"
#include "memory/kind.h"

#include <stdint.h>
#include <string.h>

enum {
    TURN_BYTES = 16 * 1024, /* of data: small enough to stay in cache while it is moved piece by piece */
    COPY_LEAST = 4 * 1024   /* of data: fewer are copied twice sooner than found on both sides */
};

/* The position of the walk. */
struct move {
    char *packed;
    MPI_Count left; /* bytes still to move */
    bool is_unpack;
    const struct device *device; /* the device that must access the memory; NULL: the host can */
    int error;                   /* the first error of the device */
};

static inline __attribute__((always_inline)) void copy_fixed(char *to, MPI_Count to_stride, const char *from,
                                                             MPI_Count from_stride, MPI_Count count,
                                                             size_t bytes)
{
    for (MPI_Count i = 0; i < count; i++) {
        memcpy(to, from, bytes);
        to += to_stride;
        from += from_stride;
    }
}

/* Copies `count` runs of `bytes` bytes. */
static void copy_runs(char *to, MPI_Count to_stride, const char *from, MPI_Count from_stride, MPI_Count count,
                      MPI_Count bytes)
{
    switch (bytes) {
    case 1:
        copy_fixed(to, to_stride, from, from_stride, count, 1);
        break;
    case 2:
        copy_fixed(to, to_stride, from, from_stride, count, 2);
        break;
    case 4:
        copy_fixed(to, to_stride, from, from_stride, count, 4);
        break;
    case 8:
        copy_fixed(to, to_stride, from, from_stride, count, 8);
        break;
    case 12:
        copy_fixed(to, to_stride, from, from_stride, count, 12);
        break;
    case 16:
        copy_fixed(to, to_stride, from, from_stride, count, 16);
        break;
    case 24:
        copy_fixed(to, to_stride, from, from_stride, count, 24);
        break;
    case 32:
        copy_fixed(to, to_stride, from, from_stride, count, 32);
        break;
    default:
        copy_fixed(to, to_stride, from, from_stride, count, (size_t)bytes);
    }
}

static void layout_move_copy_by_device(struct move *m, char *user, char *packed, MPI_Count bytes)
{
    int error = m->is_unpack ? m->device->copy(user, packed, (size_t)bytes)
                             : m->device->copy(packed, user, (size_t)bytes);

    if (!m->error)
        m->error = error;
}

/* Copies runs without gaps between them as one. */
static void copy_runs_by_device(struct move *m, char *user, MPI_Count stride, char *packed,
                                MPI_Count packed_stride, MPI_Count count, MPI_Count bytes)
{
    if (stride == bytes && packed_stride == bytes) {
        layout_move_copy_by_device(m, user, packed, count * bytes);
        return;
    }
    for (MPI_Count i = 0; i < count; i++)
        layout_move_copy_by_device(m, user + i * stride, packed + i * packed_stride, bytes);
}

/* Moves runs that lie `stride` bytes apart in memory from `user` on. Their data lies `packed_stride` bytes
 * apart from `packed` on. */
static void move_runs(struct move *m, char *user, MPI_Count stride, char *packed, MPI_Count packed_stride,
                      MPI_Count count, MPI_Count bytes)
{
    if (m->device)
        copy_runs_by_device(m, user, stride, packed, packed_stride, count, bytes);
    else if (m->is_unpack)
        copy_runs(user, stride, packed, packed_stride, count, bytes);
    else
        copy_runs(packed, packed_stride, user, stride, count, bytes);
}

static void layout_move_advance(struct move *m, MPI_Count bytes)
{
    m->packed += bytes;
    m->left -= bytes;
}

static MPI_Count layout_move_smaller(MPI_Count a, MPI_Count b)
{
    return a < b ? a : b;
}

/* Moves the loop over runs p, from its byte `skip` on. */
static void move_loop(struct move *m, const struct loop *p, const char *base, MPI_Count skip)
{
    MPI_Count i = skip / p->bytes, rest = skip % p->bytes, whole;

    if (rest) {
        MPI_Count part = layout_move_smaller(p->bytes - rest, m->left);

        move_runs(m, layout_at(base, p->at + i * p->stride + rest), 0, m->packed, 0, 1, part);
        layout_move_advance(m, part);
        i++;
    }
    whole = layout_move_smaller(p->count - i, m->left / p->bytes);
    if (whole > 0) {
        move_runs(m, layout_at(base, p->at + i * p->stride), p->stride, m->packed, p->bytes, whole, p->bytes);
        layout_move_advance(m, whole * p->bytes);
        i += whole;
    }
    if (i < p->count && m->left) {
        move_runs(m, layout_at(base, p->at + i * p->stride), 0, m->packed, 0, 1, m->left);
        layout_move_advance(m, m->left);
    }
}

/* On a side that is listed the runs lie at these places, else one behind the other. */
static inline __attribute__((always_inline)) void copy_places(char *to, bool is_to_listed, const char *from,
                                                              bool is_from_listed, const int32_t *place,
                                                              size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + (is_to_listed ? place[i] : (ptrdiff_t)(i * bytes)),
               from + (is_from_listed ? place[i] : (ptrdiff_t)(i * bytes)), bytes);
}

/* Copies `count` runs of `bytes` bytes. */
static inline __attribute__((always_inline)) void layout_move_copy_list(char *to, bool is_to_listed,
                                                                        const char *from, bool is_from_listed,
                                                                        const int32_t *place, size_t count,
                                                                        size_t bytes)
{
    switch (bytes) {
    case 4:
        copy_places(to, is_to_listed, from, is_from_listed, place, count, 4);
        break;
    case 8:
        copy_places(to, is_to_listed, from, is_from_listed, place, count, 8);
        break;
    case 16:
        copy_places(to, is_to_listed, from, is_from_listed, place, count, 16);
        break;
    case 32:
        copy_places(to, is_to_listed, from, is_from_listed, place, count, 32);
        break;
    case 64:
        copy_places(to, is_to_listed, from, is_from_listed, place, count, 64);
        break;
    default:
        copy_places(to, is_to_listed, from, is_from_listed, place, count, bytes);
    }
}

/* Moves runs of the same length, from byte `skip` of their data on. */
static void move_places(struct move *m, const struct layout *l, const char *base, MPI_Count skip)
{
    MPI_Count bytes = l->piece[0].bytes, rest = skip % bytes, whole;
    size_t i = (size_t)(skip / bytes);
    char *first = layout_at(base, l->piece[0].at);

    if (rest) {
        MPI_Count part = layout_move_smaller(bytes - rest, m->left);

        move_runs(m, first + l->place[i] + rest, 0, m->packed, 0, 1, part);
        layout_move_advance(m, part);
        i++;
    }
    whole = layout_move_smaller((MPI_Count)(l->places - i), m->left / bytes);
    if (m->is_unpack)
        layout_move_copy_list(first, true, m->packed, false, l->place + i, (size_t)whole, (size_t)bytes);
    else
        layout_move_copy_list(m->packed, false, first, true, l->place + i, (size_t)whole, (size_t)bytes);
    layout_move_advance(m, whole * bytes);
    i += (size_t)whole;
    if (i < l->places && m->left) {
        move_runs(m, first + l->place[i], 0, m->packed, 0, 1, m->left);
        layout_move_advance(m, m->left);
    }
}

static bool has_only_runs(const struct layout *l)
{
    for (size_t i = 0; i < l->pieces; i++) {
        if (l->piece[i].body || l->piece[i].count > 1)
            return false;
    }
    return true;
}

/* Moves `count` whole bodies, which consist of single runs, from index i on. Takes the first run of all
 * bodies, then the second of all, and so on: each of these is a plain strided loop. */
static void move_turned(struct move *m, const struct loop *p, const char *base, MPI_Count i, MPI_Count count)
{
    MPI_Count most = p->bytes < TURN_BYTES ? TURN_BYTES / p->bytes : 1;

    while (count) {
        MPI_Count n = layout_move_smaller(count, most);
        const char *first = layout_at(base, p->at + i * p->stride);

        for (size_t k = 0; k < p->body->pieces; k++) {
            const struct loop *run = &p->body->piece[k];

            move_runs(m, layout_at(first, run->at), p->stride, m->packed + run->before, p->bytes, n,
                      run->bytes);
        }
        layout_move_advance(m, n * p->bytes);
        i += n;
        count -= n;
    }
}

static void layout_move_move_layout(struct move *m, const struct layout *l, const char *base, MPI_Count skip);

/* Moves the loop over bodies p, from its byte `skip` on. */
static void move_bodies(struct move *m, const struct loop *p, const char *base, MPI_Count skip)
{
    MPI_Count i = skip / p->bytes, rest = skip % p->bytes, whole;

    if (rest) {
        layout_move_move_layout(m, p->body, layout_at(base, p->at + i * p->stride), rest);
        i++;
    }
    whole = layout_move_smaller(p->count - i, m->left / p->bytes);
    if (whole > 1 && !p->body->place && has_only_runs(p->body)) {
        move_turned(m, p, base, i, whole);
        i += whole;
    }
    for (; i < p->count && m->left; i++)
        layout_move_move_layout(m, p->body, layout_at(base, p->at + i * p->stride), 0);
}

static void move_piece(struct move *m, const struct loop *p, const char *base, MPI_Count skip)
{
    if (p->body) {
        move_bodies(m, p, base, skip);
    } else if (p->count == 1 && skip == 0 &&
               p->bytes <= m->left) { /* the most frequent case, without a division */
        move_runs(m, layout_at(base, p->at), 0, m->packed, 0, 1, p->bytes);
        layout_move_advance(m, p->bytes);
    } else {
        move_loop(m, p, base, skip);
    }
}

static void layout_move_move_layout(struct move *m, const struct layout *l, const char *base, MPI_Count skip)
{
    size_t i = 0;

    if (l->place && !m->device) { /* a device copies the pieces instead; they describe the same runs */
        move_places(m, l, base, skip);
        return;
    }
    if (skip) {
        i = layout_piece_of(l, skip);
        skip -= l->piece[i].before;
    }
    for (; i < l->pieces && m->left; i++) {
        move_piece(m, &l->piece[i], base, skip);
        skip = 0;
    }
}

static struct runs runs_of_place(const struct layout *l, const void *base, MPI_Count from)
{
    MPI_Count bytes = l->piece[0].bytes, rest = from % bytes;

    return (struct runs){.at = layout_at(base, l->piece[0].at + l->place[from / bytes] + rest),
                         .bytes = bytes - rest,
                         .count = 1};
}

struct runs layout_runs(const struct loop *loop, const void *base, MPI_Count from)
{
    MPI_Count i = from / loop->bytes, rest = from % loop->bytes;
    const void *at = layout_at(base, loop->at + i * loop->stride);
    const struct layout *body = loop->body;

    if (!body)
        return (struct runs){.at = layout_at(at, rest),
                             .bytes = loop->bytes - rest,
                             .count = rest ? 1 : loop->count - i,
                             .stride = loop->stride};
    if (body->place)
        return runs_of_place(body, at, rest);
    loop = &body->piece[layout_piece_of(body, rest)];
    return layout_runs(loop, at, rest - loop->before);
}

void layout_pack(const struct loop *loop, const void *base, MPI_Count from, void *packed, MPI_Count bytes)
{
    struct move m = {.packed = packed, .left = bytes};

    if (bytes)
        move_piece(&m, loop, base, from);
}

void layout_unpack(const struct loop *loop, void *base, MPI_Count from, const void *packed, MPI_Count bytes)
{
    struct move m = {.packed = (char *)(uintptr_t)packed, .left = bytes, .is_unpack = true};

    if (bytes)
        move_piece(&m, loop, base, from);
}

/* Copies the first run of all bodies, then the second of all, and so on. */
static void copy_turned(const struct loop *p, char *to, const char *from)
{
    MPI_Count most = p->bytes < TURN_BYTES ? TURN_BYTES / p->bytes : 1, n;

    for (MPI_Count i = 0; i < p->count; i += n) {
        MPI_Count first = i * p->stride;

        n = layout_move_smaller(p->count - i, most);
        for (size_t k = 0; k < p->body->pieces; k++) {
            const struct loop *run = &p->body->piece[k];

            copy_runs(to + first + run->at, p->stride, from + first + run->at, p->stride, n, run->bytes);
        }
    }
}

/* Copies a loop that is the same on both sides, without packing. */
static void copy_loop(const struct loop *p, char *to, const char *from)
{
    const struct layout *body = p->body;

    to = layout_at(to, p->at);
    from = layout_at(from, p->at);
    if (!body) {
        copy_runs(to, p->stride, from, p->stride, p->count, p->bytes);
    } else if (p->count > 1 && !body->place && has_only_runs(body)) {
        copy_turned(p, to, from);
    } else {
        for (MPI_Count i = 0; i < p->count; i++, to += p->stride, from += p->stride)
            if (body->place)
                layout_move_copy_list(to + body->piece[0].at, true, from + body->piece[0].at, true,
                                      body->place, body->places, (size_t)body->piece[0].bytes);
            else
                for (size_t k = 0; k < body->pieces; k++)
                    copy_loop(&body->piece[k], to, from);
    }
}

static bool layout_move_is_alike(const struct loop *a, const struct loop *b)
{
    return a->body && a->body == b->body && a->stride == b->stride;
}

/* Copies whole items; returns their bytes. */
static MPI_Count copy_items(const struct loop *items, void *to, const void *from, MPI_Count at,
                            MPI_Count bytes)
{
    struct loop some = *items;

    if (at % items->bytes)
        return 0;
    some.count = bytes / items->bytes;
    some.at += at / items->bytes * items->stride;
    copy_loop(&some, to, from);
    return some.count * items->bytes;
}

/* Takes one long run for several runs of `bytes` bytes. */
static void split_run(struct runs *r, MPI_Count bytes)
{
    if (r->bytes <= bytes)
        return;
    r->count = r->bytes / bytes;
    r->bytes = r->stride = bytes;
}

MPI_Count layout_copy(const struct loop *to_loop, void *to, const struct loop *from_loop, const void *from,
                      MPI_Count at, MPI_Count bytes)
{
    struct runs target, source;
    MPI_Count count;

    if (bytes < COPY_LEAST)
        return 0;
    count = layout_move_is_alike(to_loop, from_loop) ? copy_items(to_loop, to, from, at, bytes) : 0;
    if (count)
        return count;
    target = layout_runs(to_loop, to, at);
    source = layout_runs(from_loop, from, at);
    split_run(&target, layout_move_smaller(source.bytes, bytes));
    split_run(&source, target.bytes);
    count = layout_move_smaller(layout_move_smaller(target.count, source.count), bytes / source.bytes);
    if (count * source.bytes < COPY_LEAST)
        return 0;
    copy_runs(target.at, target.stride, source.at, source.stride, count, source.bytes);
    return count * source.bytes;
}

int layout_pack_device(const struct loop *loop, const struct device *device, const void *base, MPI_Count from,
                       void *packed, MPI_Count bytes)
{
    struct move m = {.packed = packed, .left = bytes, .device = device};

    if (bytes)
        move_piece(&m, loop, base, from);
    return m.error;
}

int layout_unpack_device(const struct loop *loop, const struct device *device, void *base, MPI_Count from,
                         const void *packed, MPI_Count bytes)
{
    struct move m = {.packed = (char *)(uintptr_t)packed, .left = bytes, .is_unpack = true, .device = device};

    if (bytes)
        move_piece(&m, loop, base, from);
    return m.error;
}
