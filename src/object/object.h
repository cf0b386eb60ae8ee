/* object: what every MPI handle refers to.
 *
 * A handle is a 64-bit word. The standard's predefined handles are small integers (1..4095, fixed by the ABI)
 * and are looked up in `object_predefined`. Every other handle is made by pool_new():
 *
 *     bits 56..63  the kind of object     bits 24..55  generation     bits 0..23  slot in the pool
 *
 * so it is never below 4096. The memory of a pool is never given back, and a live object stores its own
 * handle: looking up a freed or garbage handle compares two words and finds nothing; it cannot crash.
 *
 * Ownership: pool_new() returns an object with one reference. object_ref() adds one; the noun's unref
 * function (comm_unref, ...) drops one and, at zero, releases the parts and calls pool_free(). Freeing a
 * handle (MPI_X_free) first retires it with object_retire(), so that the handle is dead at once although
 * pending operations may still hold references.
 *
 * Callbacks. A pending operation may call a function of the program that takes the object: a reduction gets
 * its datatype, an error handler its communicator. The program may have freed the handle by then, or free it
 * meanwhile, so object_show() gives the object a name for the time of the call: its handle, or a new one if
 * it was retired. object_hide() takes it back. Such a name is good for every call but to free it once more.
 *
 * Locks: pools have their own lock, always taken (info objects exist before MPI_Init) unless `serial` is set.
 * A pool that threads use all the time has stripes. Each stripe has a lock of its own, inside which the
 * pool's may be taken. Once several threads share the locks (lock_is_shared), each takes from its own stripe
 * and gives back to it. Stripes exchange objects with the pool many at a time, so a thread keeps using the
 * objects that it had. A thread in a section takes none of these locks: nobody else uses the pool then. Lookup
 * takes no lock: the chunk pointer is published with release and read with acquire, `handle` is read relaxed
 * (a program that uses a handle while another thread frees it is erroneous).
 */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include "base/lock.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <stdint.h>

enum object_kind {
    OBJECT_NONE,
    OBJECT_COMM,
    OBJECT_GROUP,
    OBJECT_DATATYPE,
    OBJECT_OP,
    OBJECT_REQUEST,
    OBJECT_MESSAGE,
    OBJECT_INFO,
    OBJECT_ERRHANDLER,
    OBJECT_SESSION,
    OBJECT_WIN,
    OBJECT_FILE,
    OBJECT_CVAR_HANDLE, /* this and the next three: of src/tool */
    OBJECT_PVAR_SESSION,
    OBJECT_PVAR_HANDLE,
    OBJECT_EVENT_REGISTRATION,
    OBJECT_KEYVAL, /* no MPI handle: MPI_Comm_create_keyval's integers are the pool's (see attribute.h) */
    OBJECT_KIND_COUNT
};

/* First member of every object's struct. */
struct object {
    _Atomic uint64_t handle;   /* 0 when free, or retired and not shown */
    _Atomic uint32_t refs;     /* 0 in a free slot, by which inkling where knows it; predefined: never 0 */
    uint8_t kind;              /* enum object_kind; fixed for the life of the slot */
    bool predefined;           /* lives in static memory, cannot be freed */
    _Atomic bool retired;      /* the program has freed it; written under the pool's lock, read relaxed */
    uint32_t slot, generation; /* owner: the pool */
    int32_t handed_out;        /* owner: the pool's lock; see object_hand_out */
    int32_t shown;             /* likewise; see object_show */
};

enum {
    OBJECT_KIND_SHIFT = 56,
    POOL_SLOT_BITS = 24,
    POOL_CHUNK_BITS = 8,
    POOL_CHUNK = 1 << POOL_CHUNK_BITS, /* objects allocated at once */
    POOL_CHUNK_LIMIT = 1 << (POOL_SLOT_BITS - POOL_CHUNK_BITS)
};

/* The beginning of what was allocated for a chunk, which is aligned behind it. */
struct pool_block {
    struct pool_block *last;
};

struct pool_chunks {
    _Atomic(char *) at[POOL_CHUNK_LIMIT]; /* set once each, published with release */
    struct pool_block *last; /* of all chunks; a tool that looks for leaks finds each through its beginning */
};

/* All objects of one kind. Each noun defines its own: struct pool comm_pool = POOL_INIT(OBJECT_COMM, struct
 * comm); */
struct pool {
    enum object_kind kind;
    size_t size;      /* of one object, bytes */
    bool serial;      /* lock only under MPI_THREAD_MULTIPLE: objects that exist between init and finalize */
    struct lock lock; /* guards everything below except reads of the chunks */
    uint32_t used;    /* slots ever handed out */
    struct object *free;        /* retired slots, linked through their first bytes after struct object */
    uint32_t live;              /* objects now alive, for leak reports; with those of the stripes */
    struct pool_stripe *stripe; /* THREAD_STRIPES of them; NULL: none */
    struct pool_chunks *chunks;
};

/* Free objects of the threads of one stripe. */
struct pool_stripe {
    _Alignas(THREAD_LINE) struct lock lock; /* guards: */
    struct object *free;
    uint32_t count; /* of them */
    uint32_t live;  /* taken here less given back here: may be "below 0" */
};

/* At file scope, as part of an initializer: zeroed static memory. */
#define POOL_CHUNKS (&(struct pool_chunks){})
#define POOL_INIT(object_kind, type)                                                                         \
    {                                                                                                        \
        .kind = (object_kind), .size = sizeof(type), .lock = LOCK_INIT, .chunks = POOL_CHUNKS                \
    }

/* A zeroed object with one reference and a fresh handle; NULL when memory is out. */
void *pool_new(struct pool *pool);

/* The same, but what lies behind struct object is what the slot's last user left there. */
void *pool_take(struct pool *pool);

/* Gives the slot back. The object must be unreachable. */
void pool_free(struct pool *pool, void *object);

/* The live object of this handle in this pool, or NULL. Any 64-bit value is safe. */
void *pool_find(struct pool *pool, uint64_t handle);

/* The same inline, for the kinds of handles that the fastest calls take. */
static inline __attribute__((always_inline)) void *object_find_in_pool(struct pool *pool, uint64_t handle)
{
    uint32_t slot = (uint32_t)handle & ((1u << POOL_SLOT_BITS) - 1);
    char *chunk;
    struct object *o;

    if (handle >> OBJECT_KIND_SHIFT != pool->kind)
        return NULL;
    /* acquire: pairs with the release in add_chunk */
    chunk = atomic_load_explicit(&pool->chunks->at[slot >> POOL_CHUNK_BITS], memory_order_acquire);
    if (!chunk)
        return NULL;
    o = (struct object *)(void *)(chunk + (slot & (POOL_CHUNK - 1)) * pool->size);
    return atomic_load_explicit(&o->handle, memory_order_relaxed) == handle ? o : NULL;
}

/* Objects alive now. */
uint32_t pool_live(struct pool *pool);

/* Predefined handles: value -> object, NULL where there is none (or none yet: MPI_COMM_WORLD before init). */
enum {
    OBJECT_PREDEFINED_LIMIT = 4096
};
extern struct object *object_predefined[OBJECT_PREDEFINED_LIMIT];

/* Makes `o` (static memory) the predefined object of `value`. */
void object_predefine(struct object *o, enum object_kind kind, uint64_t value);

static inline uint64_t object_word(const void *handle)
{
    return (uint64_t)(uintptr_t)handle;
}

/* The live object of a handle, or NULL: a predefined one, whose handles are the `count` from `first` on
 * (MPI-5.0 section 20.3.2), or one of the pool. Any value is safe. It takes a subtraction, a compare and a
 * load. Predefined communicators are absent outside init and finalize, so most entry points need no further
 * check. */
static inline struct object *object_find(struct pool *pool, const void *handle, uint64_t first,
                                         uint64_t count)
{
    uint64_t word = object_word(handle);

    if (word - first < count)
        return object_predefined[word];
    return (struct object *)pool_find(pool, word);
}

static inline uint64_t object_handle(const struct object *o)
{
    return atomic_load_explicit(&o->handle, memory_order_relaxed);
}

/* The handle of `object`, whose first member is a struct object; `null` when there is none. */
static inline void *object_to_handle(const void *object, void *null)
{
    return object ? (void *)(uintptr_t)object_handle((const struct object *)object) : null;
}

static inline __attribute__((always_inline)) void object_ref(struct object *o)
{
    lock_add(&o->refs, 1);
}

/* object_unref for when other threads may hold locks. */
bool object_unref_shared(struct object *o);

/* Drops a reference; true when it was the last and the caller must release the object. */
static inline __attribute__((always_inline)) bool object_unref(struct object *o)
{
    return lock_is_alone() ? lock_add_alone(&o->refs, (uint32_t)-1) == 0 : object_unref_shared(o);
}

/* The handle is dead from now on, or from the last object_hide() on; references keep the memory. */
void object_retire(struct pool *pool, struct object *o);

static inline bool object_is_retired(const struct object *o)
{
    return atomic_load_explicit(&o->retired, memory_order_relaxed);
}

/* A handle for a function of the program, good until object_hide(). The caller holds a reference. */
uint64_t object_show(struct pool *pool, struct object *o);
void object_hide(struct pool *pool, struct object *o);

/* Groups and error handlers are handed to the program again and again under one handle (MPI_Comm_group,
 * MPI_Comm_get_errhandler), and it frees each of these. object_hand_out() counts one more use by the program,
 * takes a reference for it and revives a handle that had been retired; object_take_back() takes one back,
 * retires the handle with the last one, and returns false when nothing is handed out: the program frees more
 * than it was given. The caller of object_take_back() then drops the reference. Predefined objects are not
 * counted. */
void object_hand_out(struct pool *pool, struct object *o);
bool object_take_back(struct pool *pool, struct object *o);

/* 31-bit integer form of a handle (MPI_X_toint) and back; 0 / NULL when there is none. */
int object_to_int(const struct object *o);
void *pool_find_int(struct pool *pool, int value);

#endif
