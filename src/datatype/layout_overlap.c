/* The least number of items among which two entries share a byte. No receive may have such entries (MPI-5.0
 * section 5.1).
 *
 * One item: most layouts run upwards in memory; one walk over their loops shows that they have no overlap.
 * The runs of others are sorted.
 *
 * Several items: there is no overlap if the extent spans the data. Otherwise, as with interleaved columns of
 * a matrix, the runs are folded modulo the extent. Bytes that are d extents apart have the same remainder
 * modulo the extent, and quotients that differ by d. So the runs that overlap after folding are compared in
 * pairs, and the smallest difference of quotients tells which items meet first.
 */
#include "datatype/layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUNS_MAX = 1 << 16,  /* of layouts with more steps only the loops are looked at */
    MOVES_MAX = 1 << 26, /* the most entries of the sorted list that are moved */
    LIST_SLACK = 16
};

struct run {
    MPI_Count from, to;
    MPI_Count quotient; /* of folded runs */
};

struct walk {
    struct run *run; /* NULL: only check whether the runs go upwards */
    size_t runs, steps;
    MPI_Count end; /* of the last run */
    bool is_upward, is_too_long;
};

static void add_run(struct walk *w, MPI_Count from, MPI_Count bytes)
{
    w->is_upward = w->is_upward && (w->runs == 0 || from >= w->end);
    if (w->run)
        w->run[w->runs] = (struct run){from, from + bytes, 0};
    w->end = from + bytes;
    w->runs++;
}

static void walk_layout(struct walk *w, const struct layout *l, MPI_Count base);

static void walk_piece(struct walk *w, const struct loop *p, MPI_Count base)
{
    MPI_Count at = base + p->at;

    if (!p->body && !w->run && p->stride >= p->bytes) { /* goes upwards itself: its two ends suffice */
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

static int layout_overlap_compare(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->quotient > y->quotient) - (x->quotient < y->quotient);
}

/* The runs of a layout, sorted by address; NULL: too many, or no memory. */
static struct run *list_runs(const struct layout *layout, size_t *runs)
{
    struct walk w = {.is_upward = true};

    w.run = malloc(RUNS_MAX * sizeof *w.run); /* each run is a step, and so is its piece */
    if (!w.run)
        return NULL;
    walk_layout(&w, layout, 0);
    if (w.is_too_long) {
        free(w.run);
        return NULL;
    }
    if (!w.is_upward)
        qsort(w.run, w.runs, sizeof *w.run, layout_overlap_compare);
    *runs = w.runs;
    return w.run;
}

static bool layout_overlap_share_bytes(const struct run *run, size_t runs)
{
    for (size_t i = 1; i < runs; i++)
        if (run[i].from < run[i - 1].to)
            return true;
    return false;
}

/* Folded runs that cross the position of the sweep, sorted by quotient. Some may have ended. */
struct list {
    struct run *run;
    size_t runs, limit; /* ended runs are dropped at this number */
    size_t moves;
};

static void drop_ended(struct list *l, MPI_Count now)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->runs; i++)
        if (l->run[i].to > now)
            l->run[kept++] = l->run[i];
    l->runs = kept;
    l->limit = 2 * kept + LIST_SLACK;
}

static size_t layout_overlap_place_of(const struct list *l, MPI_Count quotient)
{
    size_t low = 0, high = l->runs;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (l->run[middle].quotient < quotient)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a run. Returns the smallest difference between its quotient and that of a run that it overlaps, or
 * `least` if that is smaller. */
static MPI_Count layout_overlap_meet(struct list *l, const struct run *new, MPI_Count least)
{
    size_t place, below, above;

    if (l->runs == l->limit)
        drop_ended(l, new->from);
    place = below = above = layout_overlap_place_of(l, new->quotient);
    while (below > 0 && l->run[below - 1].to <= new->from)
        below--;
    while (above < l->runs && l->run[above].to <= new->from)
        above++;
    if (below > 0 && new->quotient - l->run[below - 1].quotient < least)
        least = new->quotient - l->run[below - 1].quotient;
    if (above < l->runs && l->run[above].quotient - new->quotient < least)
        least = l->run[above].quotient - new->quotient;
    memmove(&l->run[place + 1], &l->run[place], (l->runs - place) * sizeof *l->run);
    l->moves += l->runs - place + (place - below) + (above - place);
    l->run[place] = *new;
    l->runs++;
    return least;
}

/* Folds the run modulo the extent: into one run, or into two where it crosses the end. Returns how many. */
static size_t fold_run(const struct run *run, MPI_Count extent, struct run *folded)
{
    MPI_Count quotient = run->from / extent - (run->from % extent < 0), from = run->from - quotient * extent;
    MPI_Count to = from + (run->to - run->from);

    if (to <= extent) {
        folded[0] = (struct run){from, to, quotient};
        return 1;
    }
    folded[0] = (struct run){from, extent, quotient};
    folded[1] = (struct run){0, to - extent, quotient + 1};
    return 2;
}

/* `folded` and `list` each have room for twice the runs. */
static MPI_Count layout_overlap_sweep(const struct run *run, size_t runs, MPI_Count extent,
                                      struct run *folded, struct run *list)
{
    struct list l = {.run = list, .limit = LIST_SLACK};
    MPI_Count least = INT64_MAX;
    size_t n = 0;

    for (size_t i = 0; i < runs; i++) {
        if (run[i].to - run[i].from > extent)
            return 1;
        n += fold_run(&run[i], extent, &folded[n]);
    }
    qsort(folded, n, sizeof *folded, layout_overlap_compare);
    for (size_t i = 0; i < n && least > 1 && l.moves <= MOVES_MAX; i++)
        least = layout_overlap_meet(&l, &folded[i], least);
    return least;
}

/* The least distance, in extents, of two items that share a byte; INT64_MAX: none do, or no memory. */
static MPI_Count nearest(const struct run *run, size_t runs, MPI_Count extent)
{
    struct run *memory = malloc((4 * runs + LIST_SLACK) * sizeof *memory);
    MPI_Count least = memory ? layout_overlap_sweep(run, runs, extent, memory, memory + 2 * runs) : INT64_MAX;

    free(memory);
    return least;
}

/* The bound where items have more data than memory for it. */
static MPI_Count crowded(MPI_Count bytes, MPI_Count extent, MPI_Count true_extent)
{
    return bytes <= extent ? INT64_MAX : (true_extent - extent) / (bytes - extent);
}

/* Whether the layout is one loop over runs that lie a multiple of the extent apart. Then item d begins where
 * the second run of the first item does. */
static bool is_column(const struct layout *layout, MPI_Count extent)
{
    const struct loop *p = layout->piece;

    return layout->pieces == 1 && !p->body && p->bytes <= extent && p->stride % extent == 0;
}

/* Like nearest(), for items whose extent is less than the span of their data. */
static MPI_Count nearest_of_crowd(const struct layout *layout, MPI_Count extent, MPI_Count true_extent)
{
    MPI_Count bound, least;
    struct run *run;
    size_t runs;

    if (extent == 0)
        return 1;
    if (is_column(layout, extent))
        return (layout->piece->stride < 0 ? -layout->piece->stride : layout->piece->stride) / extent;
    bound = crowded(layout->bytes, extent, true_extent);
    run = list_runs(layout, &runs);
    if (!run)
        return bound;
    least = nearest(run, runs, extent);
    free(run);
    return least < bound ? least : bound;
}

static bool overlaps_itself(const struct layout *layout)
{
    struct walk look = {.is_upward = true};
    struct run *run;
    size_t runs;
    bool found;

    walk_layout(&look, layout, 0);
    if (look.is_upward || look.is_too_long)
        return false;
    run = list_runs(layout, &runs);
    found = run && layout_overlap_share_bytes(run, runs);
    free(run);
    return found;
}

MPI_Count layout_overlaps_from(const struct layout *layout, MPI_Count extent, MPI_Count true_extent)
{
    MPI_Count least;

    if (layout->bytes == 0)
        return INT64_MAX;
    if (overlaps_itself(layout))
        return 1;
    extent = extent < 0 ? -extent : extent;
    if (extent >= true_extent)
        return INT64_MAX;
    least = nearest_of_crowd(layout, extent, true_extent);
    return least == INT64_MAX ? least : least + 1;
}
