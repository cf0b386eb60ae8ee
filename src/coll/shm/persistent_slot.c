#include "coll/shm/persistent_slot.h"

#include "base/lock.h"
#include "base/round.h"
#include "coll/sched/exchange.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = 64, /* bits */
    POOL_MOST = 16 * 1024 * 1024,
    SKIPS = 16,
    START_BITS = 32, /* of a sequence number: the count of starts; the bits above are the request's, ... */
    SLOT_NUMBERS = 1 << (SEQUENCE_BITS - START_BITS), /* ... one of so many */
    LINES_SYNC = 4,   /* of a collective that no rank completes before all have begun it */
    LINES_AHEAD = 16, /* of one whose ranks may run ahead */
    SEGMENTS_SYNC = 2,
    SEGMENTS_AHEAD = 8,
    LONG_SEGMENT = 8 * 1024, /* above it: */
    LONG_SYNC = 128 * 1024,
    LONG_AHEAD = 256 * 1024
};

/* A region that is cut into slots, in units of REGION_UNIT. */
struct slot_slab {
    struct shm_region *region;
    size_t units, words;
    uint64_t *taken; /* bits by unit: the same on all ranks */
    uint64_t *freed; /* what of it this rank has freed; guarded by the lock */
    uint64_t *agreed;
};

struct mailboxes persistent_slot_none;

static struct lock lock = LOCK_INIT; /* guards `freed` of all slabs */

static void slot_slab_set_bits(uint64_t *bits, size_t at, size_t count)
{
    for (size_t end = at + count; at < end; at++)
        bits[at / WORD] |= (uint64_t)1 << at % WORD;
}

static struct slot_slab *slot_slab_alloc(size_t bytes)
{
    size_t units = bytes / REGION_UNIT, words = units / WORD;
    struct slot_slab *q = calloc(1, sizeof *q + 3 * words * sizeof *q->taken);

    if (!q)
        return NULL;
    q->units = units;
    q->words = words;
    q->taken = (uint64_t *)(void *)(q + 1);
    q->freed = q->taken + words;
    q->agreed = q->freed + words;
    return q;
}

static struct slot_slab *slot_slab_new(struct comm *comm, size_t bytes)
{
    struct slot_slab *q = slot_slab_alloc(bytes);
    struct shm_region *region = region_new(comm, q ? bytes : 0, bytes);

    if (region) {
        q->region = region;
        return q;
    }
    free(q);
    return NULL;
}

/* The first run of so many free units; q->units: there is none. */
static size_t slot_slab_find(const struct slot_slab *q, size_t count)
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
static void slot_slab_note_freed(struct slot_slab *q, size_t at, size_t count)
{
    lock_take(&lock);
    slot_slab_set_bits(q->freed, at, count);
    lock_release(&lock);
}

/* Clears this rank's part of what all have freed, and takes it back. */
static void slot_slab_reuse(struct slot_slab *q)
{
    unsigned char *mine = q->region->part[q->region->rank].at;

    for (size_t at = 0; at < q->units; at++)
        if (q->agreed[at / WORD] >> at % WORD & 1)
            memset(mine + at * REGION_UNIT, 0, REGION_UNIT);
    lock_take(&lock);
    for (size_t i = 0; i < q->words; i++) {
        q->taken[i] &= ~q->agreed[i];
        q->freed[i] &= ~q->agreed[i];
    }
    lock_release(&lock);
}

/* All ranks learn what all of them have freed, and use it again. */
static void slot_pool_reclaim(struct comm *comm, struct slot_pool *pool)
{
    for (int i = 0; i < pool->slabs; i++) {
        struct slot_slab *q = pool->slab[i];

        lock_take(&lock);
        memcpy(q->agreed, q->freed, q->words * sizeof *q->agreed);
        lock_release(&lock);
        if (region_agreed(exchange_and(comm, q->agreed, q->words)) == MPI_SUCCESS)
            slot_slab_reuse(q);
    }
    region_agreed(exchange_and(comm, NULL, 0)); /* all have cleared theirs */
}

/* A new slab for a slot of so many bytes at least. */
static void slot_pool_grow(struct comm *comm, struct slot_pool *pool, size_t bytes)
{
    size_t size = pool->slabs ? 2 * pool->slab[pool->slabs - 1]->units * REGION_UNIT : SLAB_LEAST, all = 0;
    struct slot_slab *q;

    for (int i = 0; i < pool->slabs; i++)
        all += pool->slab[i]->units * REGION_UNIT;
    while (size < bytes)
        size *= 2;
    q = all + size <= POOL_MOST ? slot_slab_new(comm, size) : NULL;
    if (q)
        pool->slab[pool->slabs++] = q;
    pool->is_full = !q;
}

/* The slab that has room for a slot, and where. */
static struct slot_slab *slot_pool_find(const struct slot_pool *pool, size_t units, size_t *at)
{
    for (int i = 0; i < pool->slabs; i++) {
        *at = slot_slab_find(pool->slab[i], units);
        if (*at < pool->slab[i]->units)
            return pool->slab[i];
    }
    return NULL;
}

/* All ranks get the same answer: what they look at is the same on all of them. */
static struct slot_slab *slot_pool_reserve(struct comm *comm, struct slot_pool *pool, size_t units,
                                           size_t *at)
{
    struct slot_slab *q = slot_pool_find(pool, units, at);

    if (q || (pool->is_full && (!pool->slabs || (pool->skips && pool->skips--))))
        return q;
    slot_pool_reclaim(comm, pool);
    q = slot_pool_find(pool, units, at);
    if (!q && !pool->is_full) {
        slot_pool_grow(comm, pool, units * REGION_UNIT);
        q = slot_pool_find(pool, units, at);
    }
    if (!q)
        pool->skips = SKIPS;
    return q;
}

static size_t slot_units(struct mailbox_shape shape)
{
    return round_up(mailbox_bytes(shape), REGION_UNIT) / REGION_UNIT;
}

static size_t between(size_t least, size_t n, size_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* A long payload of which each rank reads a piece, or one rank all, is copied faster into a segment that has
 * not been used for a while. */
static size_t slot_segments(enum collective collective, size_t part)
{
    if (!choice_synchronizes(collective))
        return part <= LONG_SEGMENT ? SEGMENTS_AHEAD
                                    : between(SEGMENTS_AHEAD / 2, LONG_AHEAD / part, SEGMENTS_MOST);
    if (part <= LONG_SEGMENT || collective != COLL_ALLREDUCE)
        return SEGMENTS_SYNC;
    return between(SEGMENTS_SYNC, LONG_SYNC / part, SYNC_SEGMENTS);
}

static struct mailbox_shape slot_shape(const struct comm *comm, enum collective collective, size_t bytes)
{
    size_t due =
        collective == COLL_ALLGATHER ? bytes / (size_t)comm->size : bytes; /* of each rank, at once */
    struct mailbox_shape shape = {.lines = choice_synchronizes(collective) ? LINES_SYNC : LINES_AHEAD,
                                  .segment = LINE_BYTES};

    if (due <= LINE_BYTES)
        return shape;
    if (collective == COLL_BCAST && due > BCAST_MOST)
        due = BCAST_MOST;
    shape.segment = round_up(due, PAYLOAD_UNIT);
    shape.segments = slot_segments(collective, shape.segment);
    return shape;
}

/* The sequence numbers of a request are those of no other recent one of the communicator. A rank whose calls do not
 * fit those of the others may get another slot than they: it does not take its lines for theirs. */
static void slot_set_sequence(struct mailboxes *s, uint64_t number)
{
    s->sequence = s->before = s->all_done = number;
    for (int r = 0; r < s->size; r++)
        s->peer[r].done = number;
    mailbox_end(s, number);
}

struct mailboxes *persistent_slot_new(struct comm *comm, struct slot_pool *pool, enum collective collective,
                                      size_t bytes)
{
    struct mailbox_shape shape = slot_shape(comm, collective, bytes);
    size_t units = slot_units(shape), at;
    struct slot_slab *q = slot_pool_reserve(comm, pool, units, &at);
    struct mailboxes *s;

    if (!q)
        return NULL;
    slot_slab_set_bits(q->taken, at, units);
    pool->made++;
    s = mailbox_in(comm, q->region, at * REGION_UNIT, shape);
    if (!s) {
        slot_slab_note_freed(q, at, units);
        return &persistent_slot_none;
    }
    s->slab = q;
    slot_set_sequence(s, pool->made % SLOT_NUMBERS << START_BITS);
    return s;
}

void persistent_slot_free(struct mailboxes *s)
{
    const struct shm_region *region = s->slab->region;
    size_t at = (size_t)((unsigned char *)s->mine - region->part[region->rank].at) / REGION_UNIT;

    slot_slab_note_freed(s->slab, at, slot_units(s->shape));
    mailbox_free(s);
}

void persistent_slot_free_all(struct slot_pool *pool)
{
    for (int i = 0; i < pool->slabs; i++) {
        region_free(pool->slab[i]->region);
        free(pool->slab[i]);
    }
}
