#include "coll/berth.h"

#include "base/lock.h"
#include "coll/coll.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = 64, /* bits */
    MOST_BYTES = 16 * 1024 * 1024,
    SKIPS = 16,
    START_BITS = 32,    /* of the number of a start, below that of its request */
    LINES_TOGETHER = 4, /* of a collective that nobody ends before all have begun it */
    LINES_AHEAD = 16,   /* of one whose ranks may run ahead */
    PARTS_TOGETHER = 2,
    PARTS_AHEAD = 8,
    LONG_PART = 8 * 1024, /* above it: */
    LONG_TOGETHER = 128 * 1024,
    LONG_AHEAD = 256 * 1024
};

/* Memory that is cut into berths, in units of PLOT_UNIT. */
struct quay {
    struct plot *plot;
    size_t units, words;
    uint64_t *taken; /* bits by unit: the same on all ranks */
    uint64_t *freed; /* what of it this rank has freed; guarded by the lock */
    uint64_t *agreed;
};

struct slots berth_none;

static struct lock lock = LOCK_INIT; /* guards `freed` of all quays */

static void set_bits(uint64_t *bits, size_t at, size_t count)
{
    for (size_t end = at + count; at < end; at++)
        bits[at / WORD] |= (uint64_t)1 << at % WORD;
}

static struct quay *quay_alloc(size_t bytes)
{
    size_t units = bytes / PLOT_UNIT, words = units / WORD;
    struct quay *q = calloc(1, sizeof *q + 3 * words * sizeof *q->taken);

    if (!q)
        return NULL;
    q->units = units;
    q->words = words;
    q->taken = (uint64_t *)(void *)(q + 1);
    q->freed = q->taken + words;
    q->agreed = q->freed + words;
    return q;
}

static struct quay *quay_new(struct comm *comm, size_t bytes)
{
    struct quay *q = quay_alloc(bytes);
    struct plot *plot = plot_new(comm, q ? bytes : 0, bytes);

    if (plot) {
        q->plot = plot;
        return q;
    }
    free(q);
    return NULL;
}

/* The first run of so many free units; q->units: there is none. */
static size_t quay_find(const struct quay *q, size_t count)
{
    size_t run = 0;

    for (size_t at = 0; at < q->units; at++) {
        uint64_t word = q->taken[at / WORD];

        if (word >> at % WORD & 1) {
            run = 0;
            at += word == UINT64_MAX ? WORD - 1 - at % WORD : 0;
        } else if (++run == count)
            return at + 1 - count;
    }
    return q->units;
}

/* This rank has freed these units. */
static void quay_give(struct quay *q, size_t at, size_t count)
{
    lock_take(&lock);
    set_bits(q->freed, at, count);
    lock_release(&lock);
}

/* All ranks learn what all of them have freed. */
static int quay_agree(struct comm *comm, struct quay *q)
{
    lock_take(&lock);
    memcpy(q->agreed, q->freed, q->words * sizeof *q->agreed);
    lock_release(&lock);
    return coll_allreduce(MPI_IN_PLACE, q->agreed, (MPI_Count)q->words, datatype_predefined(MPI_UINT64_T),
                          &op_predefined[OP_BAND], comm, FORM_BLOCKING, NULL);
}

/* Clears this rank's part of what all have freed, and takes it back. */
static void quay_take_back(struct quay *q)
{
    unsigned char *mine = q->plot->part[q->plot->rank].at;

    for (size_t at = 0; at < q->units; at++)
        if (q->agreed[at / WORD] >> at % WORD & 1)
            memset(mine + at * PLOT_UNIT, 0, PLOT_UNIT);
    lock_take(&lock);
    for (size_t i = 0; i < q->words; i++) {
        q->taken[i] &= ~q->agreed[i];
        q->freed[i] &= ~q->agreed[i];
    }
    lock_release(&lock);
}

static void reclaim(struct comm *comm, struct berths *b)
{
    for (int i = 0; i < b->quays; i++)
        if (plot_agreed(quay_agree(comm, b->quay[i])) == MPI_SUCCESS)
            quay_take_back(b->quay[i]);
    plot_agreed(coll_barrier(comm, FORM_BLOCKING, NULL)); /* all have cleared theirs */
}

/* A new quay for a berth of so many bytes at least. */
static void grow(struct comm *comm, struct berths *b, size_t bytes)
{
    size_t size = b->quays ? 2 * b->quay[b->quays - 1]->units * PLOT_UNIT : QUAY_LEAST, all = 0;
    struct quay *q;

    for (int i = 0; i < b->quays; i++)
        all += b->quay[i]->units * PLOT_UNIT;
    while (size < bytes)
        size *= 2;
    q = all + size <= MOST_BYTES ? quay_new(comm, size) : NULL;
    if (q)
        b->quay[b->quays++] = q;
    b->is_full_grown = !q;
}

/* The quay that has room for a berth, and where. */
static struct quay *find(const struct berths *b, size_t units, size_t *at)
{
    for (int i = 0; i < b->quays; i++) {
        *at = quay_find(b->quay[i], units);
        if (*at < b->quay[i]->units)
            return b->quay[i];
    }
    return NULL;
}

/* All ranks come to the same end, since what they look at is the same on all of them. */
static struct quay *make_room(struct comm *comm, struct berths *b, size_t units, size_t *at)
{
    struct quay *q = find(b, units, at);

    if (q || (b->is_full_grown && (!b->quays || (b->skips && b->skips--))))
        return q;
    reclaim(comm, b);
    q = find(b, units, at);
    if (!q && !b->is_full_grown) {
        grow(comm, b, units * PLOT_UNIT);
        q = find(b, units, at);
    }
    if (!q)
        b->skips = SKIPS;
    return q;
}

static size_t units_of(struct shape shape)
{
    return (station_bytes(shape) + PLOT_UNIT - 1) / PLOT_UNIT;
}

static bool runs_ahead(enum collective collective)
{
    return !choice_synchronizes(collective);
}

static size_t between(size_t least, size_t n, size_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* Long data that each rank reads a piece of, or one rank all, is copied faster into room that has not been
 * used for a while. */
static size_t parts_of(enum collective collective, size_t part)
{
    if (runs_ahead(collective))
        return part <= LONG_PART ? PARTS_AHEAD : between(PARTS_AHEAD / 2, LONG_AHEAD / part, PARTS_MOST);
    if (part <= LONG_PART || collective != COLL_ALLREDUCE)
        return PARTS_TOGETHER;
    return between(PARTS_TOGETHER, LONG_TOGETHER / part, NEAR_PARTS);
}

static struct shape shape_of(const struct comm *comm, enum collective collective, size_t bytes)
{
    size_t due =
        collective == COLL_ALLGATHER ? bytes / (size_t)comm->size : bytes; /* of each rank, at once */
    struct shape shape = {.lines = runs_ahead(collective) ? LINES_AHEAD : LINES_TOGETHER, .part = LINE_BYTES};

    if (due <= LINE_BYTES)
        return shape;
    if (collective == COLL_BCAST && due > BCAST_MOST)
        due = BCAST_MOST;
    shape.part = (due + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT;
    shape.parts = parts_of(collective, shape.part);
    return shape;
}

/* Numbers of a request's starts begin where those of no other one of the communicator are: who takes another
 * berth than the others do, since their calls do not fit together, does not take its lines for theirs. */
static void number_from(struct slots *s, uint64_t number)
{
    s->number = s->all_done = number;
    for (int r = 0; r < s->size; r++)
        s->seat[r].done = number;
    slots_end(s, number);
}

struct slots *berth_new(struct comm *comm, struct berths *b, enum collective collective, size_t bytes)
{
    struct shape shape = shape_of(comm, collective, bytes);
    size_t units = units_of(shape), at;
    struct quay *q = make_room(comm, b, units, &at);
    struct slots *s;

    if (!q)
        return NULL;
    set_bits(q->taken, at, units);
    b->made++;
    s = slots_in(comm, q->plot, at * PLOT_UNIT, shape);
    if (!s) {
        quay_give(q, at, units);
        return &berth_none;
    }
    s->quay = q;
    number_from(s, b->made << START_BITS);
    return s;
}

void berth_free(struct slots *s)
{
    const struct plot *plot = s->quay->plot;
    size_t at = (size_t)((unsigned char *)s->mine - plot->part[plot->rank].at) / PLOT_UNIT;

    quay_give(s->quay, at, units_of(s->shape));
    slots_free(s);
}

void berths_free(struct berths *b)
{
    for (int i = 0; i < b->quays; i++) {
        plot_free(b->quay[i]->plot);
        free(b->quay[i]);
    }
}
