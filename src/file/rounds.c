#include "file/rounds.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
    const struct rounds_stretch *one = a, *other = b;

    return (one->run.at > other->run.at) - (one->run.at < other->run.at);
}

static MPI_Offset stretch_end(const struct rounds_stretch *s)
{
    return s->run.at + s->run.bytes;
}

/* They mostly are: ranks in turn. */
static bool is_in_order(const struct rounds *r)
{
    for (int i = 1; i < r->stretches; i++)
        if (r->stretch[i].run.at < r->stretch[i - 1].run.at)
            return false;
    return true;
}

/* Puts together what shares a window. */
static void join_stretches(struct rounds *r)
{
    MPI_Offset window = r->a->window;
    struct rounds_stretch *last = NULL;

    for (int i = 0; i < r->stretches; i++) {
        struct rounds_stretch *next = &r->stretch[i];

        if (last && next->run.at / window <= (stretch_end(last) - 1) / window) {
            if (stretch_end(next) > stretch_end(last))
                last->run.bytes = stretch_end(next) - last->run.at;
            continue;
        }
        last = last ? last + 1 : r->stretch;
        *last = *next;
    }
    r->stretches = last ? (int)(last - r->stretch) + 1 : 0;
}

void rounds_lay_out(struct rounds *r)
{
    MPI_Offset window = r->a->window;

    r->stretch = r->a->stretch;
    r->stretches = 0;
    r->count = 0;
    for (int i = 0; i < r->file->size; i++) {
        const struct collective_part *p = &r->a->part[i];

        if (p->bytes)
            r->stretch[r->stretches++] = (struct rounds_stretch){.run = {p->begin, p->end - p->begin}};
    }
    if (!is_in_order(r))
        qsort(r->stretch, (size_t)r->stretches, sizeof *r->stretch, by_place);
    join_stretches(r);
    for (int i = 0; i < r->stretches; i++) {
        struct rounds_stretch *s = &r->stretch[i];

        s->number = r->count;
        r->count += (stretch_end(s) - 1) / window - s->run.at / window + 1;
    }
}

/* The last stretch whose first window is no later. */
static const struct rounds_stretch *find_stretch(const struct rounds *r, MPI_Offset number)
{
    int low = 0, high = r->stretches - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;

        if (r->stretch[middle].number <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return &r->stretch[low];
}

struct rounds_window rounds_window(const struct rounds *r, MPI_Offset number)
{
    const struct rounds_stretch *s = find_stretch(r, number);
    MPI_Offset bytes = r->a->window, begin = (s->run.at / bytes + number - s->number) * bytes;
    MPI_Offset limit = begin > INT64_MAX - bytes ? INT64_MAX : begin + bytes;
    MPI_Offset from = begin < s->run.at ? s->run.at : begin,
               to = limit > stretch_end(s) ? stretch_end(s) : limit;

    return (struct rounds_window){begin, limit, {from, to - from}};
}

bool rounds_next(struct rounds_cursor *c, MPI_Offset limit, struct file_run *run, MPI_Offset *data)
{
    MPI_Offset bytes;

    if (c->run.bytes == 0 && !view_next(&c->walk, INT64_MAX, &c->run)) {
        c->run.bytes = 0;
        return false;
    }
    if (c->run.at >= limit)
        return false;
    bytes = limit - c->run.at < c->run.bytes ? limit - c->run.at : c->run.bytes;
    *run = (struct file_run){c->run.at, bytes};
    *data = c->data;
    c->run = (struct file_run){c->run.at + bytes, c->run.bytes - bytes};
    c->data += bytes;
    return true;
}

MPI_Offset rounds_got(const struct aggregator_half *half, MPI_Offset at, MPI_Offset bytes)
{
    MPI_Offset got = *half->got - at;

    return got < 0 ? 0 : got < bytes ? got : bytes;
}

void rounds_fail(struct rounds *r, int error)
{
    if (!r->error)
        r->error = error;
}

void rounds_end_data(struct rounds *r, MPI_Offset data, MPI_Offset bytes, MPI_Offset got)
{
    if (got < bytes && data + got < r->data_end)
        r->data_end = data + got;
}
