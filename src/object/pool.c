/* Pools of objects and their handles (object.h): giving slots out and taking them back, alone, by stripes or under the lock. Handles of
 * predefined objects are the table object_predefined. */
#include "object/object.h"

#include "base/live.h"

#include <stdlib.h>
#include <string.h>

enum {
    GENERATION_SHIFT = POOL_SLOT_BITS,
    INT_SLOT_BITS = 22,
    INT_GENERATION_MASK = 0xff,
    BATCH = 32,          /* objects that a stripe takes from its pool at once */
    KEPT = 256,          /* free objects that it has at most */
    LINES_TOGETHER = 128 /* bytes: two cache lines, which processors fetch together */
};

_Static_assert((int)LIVE_OBJECTS == (int)OBJECT_KIND_COUNT, "live.h lists the kinds of objects");

struct object *object_predefined[OBJECT_PREDEFINED_LIMIT];

void object_predefine(struct object *o, enum object_kind kind, uint64_t value)
{
    o->kind = (uint8_t)kind;
    o->predefined = true;
    atomic_store_explicit(&o->refs, 1, memory_order_relaxed);
    atomic_store_explicit(&o->handle, value, memory_order_relaxed);
    object_predefined[value] = o;
}

static struct object *slot_at(struct pool *pool, uint32_t slot)
{
    /* pairs with the release in add_chunk */
    char *chunk = atomic_load_explicit(&pool->chunks->at[slot >> POOL_CHUNK_BITS], memory_order_acquire);

    return chunk ? (struct object *)(void *)(chunk + (slot & (POOL_CHUNK - 1)) * pool->size) : NULL;
}

/* Returns false when memory or the slot numbers are used up. Caller holds the lock. */
static bool add_chunk(struct pool *pool)
{
    uint32_t index = pool->used >> POOL_CHUNK_BITS;
    struct pool_block *block;
    char *chunk;

    if (index >= POOL_CHUNK_LIMIT)
        return false;
    block = calloc(1, POOL_CHUNK * pool->size + sizeof *block + LINES_TOGETHER);
    if (!block)
        return false;
    block->last = pool->chunks->last;
    pool->chunks->last = block;
    chunk = (char *)(block + 1);
    chunk += -(uintptr_t)chunk % LINES_TOGETHER; /* threads that use neighbouring objects share no line */
    /* pairs with the acquire in slot_at */
    atomic_store_explicit(&pool->chunks->at[index], chunk, memory_order_release);
    return true;
}

/* The link of a free slot, which follows its struct object. */
static struct object **free_link(struct object *o)
{
    return (struct object **)(void *)(o + 1);
}

/* A slot that was never used. Out of line: it is rare. */
__attribute__((noinline)) static struct object *open_slot(struct pool *pool)
{
    struct object *o;

    if ((pool->used & (POOL_CHUNK - 1)) == 0 && !add_chunk(pool))
        return NULL;
    o = slot_at(pool, pool->used);
    o->slot = pool->used++;
    o->kind = (uint8_t)pool->kind;
    return o;
}

static inline struct object *pool_take_slot(struct pool *pool)
{
    struct object *o = pool->free;

    if (__builtin_expect(!o, 0))
        return open_slot(pool);
    pool->free = *free_link(o);
    return o;
}

/* Whether no other thread can use a pool that has stripes. */
static inline bool pool_is_alone(const struct pool *pool)
{
    return pool->stripe && lock_is_alone();
}

static void pool_lock(struct pool *pool)
{
    if (pool->serial)
        lock_take_inline(&pool->lock);
    else
        lock_always_take(&pool->lock);
}

static void pool_unlock(struct pool *pool)
{
    if (pool->serial)
        lock_release_inline(&pool->lock);
    else
        lock_always_release(&pool->lock);
}

static void give_handle(struct object *o)
{
    uint64_t handle =
        (uint64_t)o->kind << OBJECT_KIND_SHIFT | (uint64_t)o->generation << GENERATION_SHIFT | o->slot;

    atomic_store_explicit(&o->handle, handle, memory_order_relaxed);
}

static void kill_handle(struct object *o)
{
    atomic_store_explicit(&o->handle, 0, memory_order_relaxed);
}

/* Makes a new handle if there is none. The old ones stay dead. */
static void revive_handle(struct object *o)
{
    if (object_handle(o))
        return;
    o->generation++;
    give_handle(o);
}

/* Refills an empty stripe from the pool: returns one object and keeps the rest of the batch. */
static struct object *refill(struct pool *pool, struct pool_stripe *s)
{
    struct object *first, *o;

    lock_take_inline(&pool->lock);
    first = pool_take_slot(pool);
    for (int i = 1; first && i < BATCH && (o = pool_take_slot(pool)); i++) {
        *free_link(o) = s->free;
        s->free = o;
        s->count++;
    }
    lock_release_inline(&pool->lock);
    return first;
}

/* Shrinks a stripe that has too many: one thread may free what another one allocates. */
__attribute__((noinline)) static void object_give_back(struct pool *pool, struct pool_stripe *s)
{
    lock_take_inline(&pool->lock);
    for (; s->count > KEPT / 2; s->count--) {
        struct object *o = s->free;

        s->free = *free_link(o);
        *free_link(o) = pool->free;
        pool->free = o;
    }
    lock_release_inline(&pool->lock);
}

__attribute__((noinline)) static struct object *take_striped(struct pool *pool)
{
    struct pool_stripe *s = &pool->stripe[thread_stripe()];
    struct object *o;

    lock_take_inline(&s->lock);
    o = s->free;
    if (o) {
        s->free = *free_link(o);
        s->count--;
    } else {
        o = refill(pool, s);
    }
    s->live += o != NULL;
    lock_release_inline(&s->lock);
    return o;
}

/* The caller holds the pool, or is alone. */
static inline struct object *take_alone(struct pool *pool)
{
    struct object *o = pool_take_slot(pool);

    pool->live += o != NULL;
    return o;
}

static inline struct object *object_take(struct pool *pool)
{
    struct object *o;

    if (pool_is_alone(pool))
        return take_alone(pool);
    if (pool->stripe && lock_is_shared())
        return take_striped(pool);
    pool_lock(pool);
    o = take_alone(pool);
    pool_unlock(pool);
    return o;
}

__attribute__((noinline)) static void give_striped(struct pool *pool, struct object *o)
{
    struct pool_stripe *s = &pool->stripe[thread_stripe()];

    lock_take_inline(&s->lock);
    *free_link(o) = s->free;
    s->free = o;
    s->live--;
    if (++s->count > KEPT)
        object_give_back(pool, s);
    lock_release_inline(&s->lock);
}

/* The caller holds the pool, or is alone. */
static inline void give_alone(struct pool *pool, struct object *o)
{
    *free_link(o) = pool->free;
    pool->free = o;
    pool->live--;
}

static inline void object_give(struct pool *pool, struct object *o)
{
    if (pool_is_alone(pool)) {
        give_alone(pool, o);
    } else if (pool->stripe && lock_is_shared()) {
        give_striped(pool, o);
    } else {
        pool_lock(pool);
        give_alone(pool, o);
        pool_unlock(pool);
    }
}

void *pool_take(struct pool *pool)
{
    struct object *o = object_take(pool);

    if (!o)
        return NULL;
    o->handed_out = 0;
    o->shown = 0;
    atomic_store_explicit(&o->retired, false, memory_order_relaxed);
    atomic_store_explicit(&o->refs, 1, memory_order_relaxed);
    give_handle(o);
    live_add((enum live)pool->kind, 1);
    return o;
}

void *pool_new(struct pool *pool)
{
    struct object *o = pool_take(pool);

    if (o)
        memset(o + 1, 0, pool->size - sizeof *o);
    return o;
}

void pool_free(struct pool *pool, void *object)
{
    struct object *o = object;

    kill_handle(o);
    atomic_store_explicit(&o->refs, 0, memory_order_relaxed);
    o->generation++;
    live_add((enum live)pool->kind, -1);
    object_give(pool, o);
}

/* A count of 1 is the caller's own reference. Nobody else has one that it could copy, so the count is final and
 * needs no write. Acquire: pairs with the release of lock_add, for what others did before they dropped theirs. */
bool object_unref_shared(struct object *o)
{
    return atomic_load_explicit(&o->refs, memory_order_acquire) == 1 ||
           lock_add_shared(&o->refs, (uint32_t)-1) == 0;
}

void *pool_find(struct pool *pool, uint64_t handle)
{
    return object_find_in_pool(pool, handle);
}

void object_retire(struct pool *pool, struct object *o)
{
    pool_lock(pool);
    atomic_store_explicit(&o->retired, true, memory_order_relaxed);
    if (o->shown == 0)
        kill_handle(o);
    pool_unlock(pool);
}

uint64_t object_show(struct pool *pool, struct object *o)
{
    uint64_t handle;

    if (o->predefined)
        return object_handle(o);
    pool_lock(pool);
    o->shown++;
    revive_handle(o);
    handle = object_handle(o);
    pool_unlock(pool);
    return handle;
}

void object_hide(struct pool *pool, struct object *o)
{
    if (o->predefined)
        return;
    pool_lock(pool);
    if (--o->shown == 0 && object_is_retired(o))
        kill_handle(o);
    pool_unlock(pool);
}

void object_hand_out(struct pool *pool, struct object *o)
{
    if (o->predefined)
        return;
    object_ref(o);
    pool_lock(pool);
    o->handed_out++;
    revive_handle(o);
    pool_unlock(pool);
}

bool object_take_back(struct pool *pool, struct object *o)
{
    bool handed_out;

    if (o->predefined)
        return true;
    pool_lock(pool);
    handed_out = o->handed_out > 0;
    if (handed_out && --o->handed_out == 0)
        kill_handle(o);
    pool_unlock(pool);
    return handed_out;
}

uint32_t pool_live(struct pool *pool)
{
    uint32_t live;

    pool_lock(pool);
    live = pool->live;
    pool_unlock(pool);
    for (struct pool_stripe *s = pool->stripe; s && s < pool->stripe + THREAD_STRIPES; s++) {
        lock_take_inline(&s->lock);
        live += s->live;
        lock_release_inline(&s->lock);
    }
    return live;
}

/* bits 0..21 slot, bits 22..29 generation, bit 30 set: above every predefined value, positive. The predefined types without a
 * name, those of MPI_Type_create_f90_real and so on, are in slots as well. */
int object_to_int(const struct object *o)
{
    if (o->predefined && object_handle(o) < OBJECT_PREDEFINED_LIMIT)
        return (int)object_handle(o);
    if (o->slot >> INT_SLOT_BITS)
        return 0;
    return (int)(1u << 30 | (o->generation & INT_GENERATION_MASK) << INT_SLOT_BITS | o->slot);
}

void *pool_find_int(struct pool *pool, int value)
{
    struct object *o;

    if (value < OBJECT_PREDEFINED_LIMIT)
        return value > 0 && object_predefined[value] && object_predefined[value]->kind == pool->kind
                   ? object_predefined[value]
                   : NULL;
    o = slot_at(pool, (uint32_t)value & ((1u << INT_SLOT_BITS) - 1));
    return o && object_handle(o) && object_to_int(o) == value ? o : NULL;
}
