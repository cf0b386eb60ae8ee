/* Whether two entries of a layout share a byte, which no receive may have (MPI-5.0 section 5.1). Most layouts
 * run upwards in memory and are known to be clean in one walk over their loops; of others the runs are
 * sorted. */
#include "datatype/layout.h"

#include <stdlib.h>

enum {
    RUNS_MAX = 1 << 16 /* larger layouts that do not run upwards are not looked at */
};

struct run {
    MPI_Count from, to;
};

struct walk {
    struct run *run; /* NULL: only look whether the runs go upwards */
    size_t runs, steps;
    MPI_Count end; /* of the last run */
    bool is_upward, is_too_long;
};

static void add_run(struct walk *w, MPI_Count from, MPI_Count bytes)
{
    w->is_upward = w->is_upward && (w->runs == 0 || from >= w->end);
    if (w->run)
        w->run[w->runs] = (struct run){from, from + bytes};
    w->end = from + bytes;
    w->runs++;
}

static void walk_layout(struct walk *w, const struct layout *l, MPI_Count base);

static void walk_piece(struct walk *w, const struct loop *p, MPI_Count base)
{
    MPI_Count at = base + p->at;

    if (!p->body && !w->run && p->stride >= p->bytes) { /* upwards within itself: two ends tell all */
        add_run(w, at, p->bytes);
        w->end = at + (p->count - 1) * p->stride + p->bytes;
        return;
    }
    for (MPI_Count i = 0; i < p->count && !w->is_too_long; i++, at += p->stride) {
        w->is_too_long = ++w->steps > RUNS_MAX;
        if (p->body)
            walk_layout(w, p->body, at);
        else if (!w->is_too_long)
            add_run(w, at, p->bytes);
    }
}

static void walk_layout(struct walk *w, const struct layout *l, MPI_Count base)
{
    for (size_t i = 0; i < l->pieces && !w->is_too_long; i++) {
        w->is_too_long = ++w->steps > RUNS_MAX;
        walk_piece(w, &l->piece[i], base);
    }
}

static int compare(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

bool layout_has_overlap(const struct layout *layout)
{
    struct walk look = {.is_upward = true}, list = {.is_upward = true};
    bool found = false;

    walk_layout(&look, layout, 0);
    if (look.is_upward || look.is_too_long)
        return false;
    list.run = malloc((RUNS_MAX + 1) * sizeof *list.run);
    if (!list.run)
        return false;
    walk_layout(&list, layout, 0);
    if (!list.is_too_long) {
        qsort(list.run, list.runs, sizeof *list.run, compare);
        for (size_t i = 1; i < list.runs && !found; i++)
            found = list.run[i].from < list.run[i - 1].to;
    }
    free(list.run);
    return found;
}
