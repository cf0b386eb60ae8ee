#include "coll/shm/persistent_slot.h"

#include "base/round.h"

#include <stdlib.h>

enum {
    POOL_MOST = 16 * 1024 * 1024, /* bytes of the slabs of a communicator on this rank */
    SLAB_LEAST = 16 * 1024,       /* of the first slab; each is twice as large as the last one, up to ... */
    SLAB_MOST = 128 * 1024,       /* ... this */
    SKIPS = 16,      /* calls that take messages before the ranks ask each other again for room */
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

/* A region that is cut into slots, one behind the other. */
struct slot_slab {
    struct shm_region *region;
    struct slot_pool *pool;
    size_t used;         /* bytes of it */
    _Atomic int holders; /* the slots that this rank has not freed, and the pool while it cuts more from it */
};

struct mailboxes persistent_slot_none;

static struct slot_slab *slot_slab_new(struct comm *comm, struct slot_pool *pool, size_t bytes)
{
    struct slot_slab *slab = calloc(1, sizeof *slab);
    bool has_room = atomic_load_explicit(&pool->bytes, memory_order_relaxed) + bytes <= POOL_MOST;
    struct shm_region *region = region_new(comm, slab && has_room ? bytes : 0, bytes);

    if (!region) {
        free(slab);
        return NULL;
    }
    slab->region = region;
    slab->pool = pool;
    atomic_fetch_add_explicit(&pool->bytes, bytes, memory_order_relaxed);
    return slab;
}

static void slot_slab_hold(struct slot_slab *slab)
{
    atomic_fetch_add_explicit(&slab->holders, 1, memory_order_relaxed);
}

static void slot_slab_drop(struct slot_slab *slab)
{
    /* acq_rel: pairs with itself: whoever frees it comes after the others' last accesses */
    if (atomic_fetch_sub_explicit(&slab->holders, 1, memory_order_acq_rel) > 1)
        return;
    atomic_fetch_sub_explicit(&slab->pool->bytes, slab->region->bytes, memory_order_relaxed);
    region_free(slab->region);
    free(slab);
}

/* The slab that has room for a slot: a long one has a slab of its own. All ranks get the same answer: what they look
 * at is the same on all of them. */
static struct slot_slab *slot_pool_find(struct comm *comm, struct slot_pool *pool, size_t bytes)
{
    struct slot_slab *slab = pool->slab;
    size_t next = slab ? 2 * slab->region->bytes : SLAB_LEAST;

    if (slab && slab->used + bytes <= slab->region->bytes)
        return slab;
    if (pool->skips) {
        pool->skips--;
        return NULL;
    }
    next = next < SLAB_MOST ? next : SLAB_MOST;
    slab = slot_slab_new(comm, pool, bytes > next ? bytes : next);
    if (!slab) {
        pool->skips = SKIPS;
    } else if (bytes <= next) {
        if (pool->slab)
            slot_slab_drop(pool->slab);
        slot_slab_hold(slab);
        pool->slab = slab;
    }
    return slab;
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
struct mailboxes *persistent_slot_new(struct comm *comm, struct slot_pool *pool, enum collective collective,
                                      size_t bytes)
{
    struct mailbox_shape shape = slot_shape(comm, collective, bytes);
    size_t room = round_up(mailbox_bytes(shape), REGION_UNIT);
    struct slot_slab *slab = slot_pool_find(comm, pool, room);
    struct mailboxes *s;

    if (!slab)
        return NULL;
    s = mailbox_new(comm, shape, slab->region, slab->used);
    slab->used += room;
    pool->made++;
    slot_slab_hold(slab);
    if (!s) {
        slot_slab_drop(slab);
        return &persistent_slot_none;
    }
    s->slab = slab;
    s->sequence = s->before = s->all_done = pool->made % SLOT_NUMBERS << START_BITS;
    for (int r = 0; r < s->size; r++)
        s->peer[r].done = s->sequence;
    mailbox_end(s, s->sequence);
    return s;
}

void persistent_slot_free(struct mailboxes *s)
{
    struct slot_slab *slab = s->slab;

    mailbox_free(s);
    slot_slab_drop(slab);
}

void persistent_slot_free_all(struct slot_pool *pool)
{
    if (pool->slab)
        slot_slab_drop(pool->slab);
}
