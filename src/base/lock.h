/* lock: mutual exclusion between the threads of this process.
 *
 * Below MPI_THREAD_MULTIPLE a `struct lock` costs one predictable branch: until lock_enable() is called, take
 * and release do nothing. MPI_Init_thread or MPI_Session_init call it when they grant MPI_THREAD_MULTIPLE,
 * before a second thread may call MPI. State that MPI lets threads use before initialisation or at any thread
 * level (info objects, pools, keyvals, error codes) uses lock_always_take/release instead. A thread that
 * finds a lock taken looks at growing distances for a moment before it sleeps. Locks are not recursive. No lock may be held while
 * user code (a callback) runs. Builds with assertions end a process that takes a lock twice or releases one
 * that it does not hold.
 *
 * Bias. Most programs that ask for MPI_THREAD_MULTIPLE call MPI from one thread. An atomic read-modify-write
 * for each uncontended lock would cost that thread as much as everything else. So all locks of the process
 * together are *biased* towards one thread at first. That thread is in a *section* from the first lock that
 * it takes to the last that it releases, and says so with plain stores to a word of its own. Another thread
 * that wants a lock revokes the bias, waits until the section has ended, and gets the bias itself. After
 * LOCK_GRANTS such changes several threads are alternating: the bias ends for good, and locks are mutexes. A
 * thread holds either a section or mutexes, never both.
 *
 * Memory order. Thread and revoker store, then look. The thread stores that it is busy and looks whether the
 * bias is still its own; the revoker stores that it is not and looks whether the thread is busy. One must see
 * the other. The revoker, which is rare, pays for both sides with membarrier(2); the thread only keeps the
 * compiler from reordering. `busy` publishes what was done in a section: release at its end, acquire by the
 * revoker. Where membarrier is missing there is no bias.
 *
 * A revoker waits for a section. So in a section a thread must not wait for other threads, except for mutexes
 * under which nobody begins a section (lock_always_take, lock_take, lock_add). Outside of sections there is no
 * such rule.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
    pthread_mutex_t mutex;
};

#ifdef NDEBUG
#define LOCK_INIT                                                                                            \
    {                                                                                                        \
        PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP                                                                \
    }
#else
#define LOCK_INIT                                                                                            \
    {                                                                                                        \
        PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP                                                              \
    }
#endif

enum {
    LOCK_GRANTS = 8, /* of the bias, the first one included */
    LOCK_UNBIASED,
    LOCK_NOBODYS /* it is being revoked; not 0, the grant of a thread that never had the bias */
};

extern bool lock_enabled; /* written once, before a second thread calls MPI; read by all */
/* The grant in force, 1 to LOCK_GRANTS, or one of the two above. Release when it is granted or ended, acquire
 * by a thread that finds it ended; for the thread that has it see above. */
extern _Atomic unsigned lock_bias;
/* Whether the thread with this grant is in a section. Each grant has a word of its own, so that a thread that
 * is late to see its grant revoked disturbs no other. */
extern struct lock_section {
    _Alignas(128) _Atomic bool busy;
} lock_section[LOCK_GRANTS + 1];
/* This thread's part of the bias. */
extern _Thread_local struct lock_mine {
    unsigned grant; /* its last grant; 0: none */
    unsigned depth; /* locks of the section that it is in */
} lock_mine __attribute__((tls_model("initial-exec")));

/* Gives the bias to the calling thread. */
void lock_enable(void);
/* Ends the bias: other threads will call MPI. */
void lock_end_bias(void);

/* For a thread whose grant is not in force: gets the next one and begins a section. False: the bias has
 * ended. */
bool lock_begin_late(void) __attribute__((cold));

/* False: the bias has ended, so locks are mutexes. */
static inline bool lock_begin(void)
{
    unsigned bias;

    if (lock_mine.depth) {
        lock_mine.depth++;
        return true;
    }
    bias = atomic_load_explicit(&lock_bias, memory_order_acquire);
    if (bias != lock_mine.grant)
        return bias != LOCK_UNBIASED && lock_begin_late();
    atomic_store_explicit(&lock_section[bias].busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the revoker's membarrier does the rest */
    if (__builtin_expect(atomic_load_explicit(&lock_bias, memory_order_relaxed) != bias, 0))
        return lock_begin_late();
    lock_mine.depth = 1;
    return true;
}

/* False: this thread is in no section. */
static inline bool lock_end(void)
{
    if (!lock_mine.depth)
        return false;
    if (--lock_mine.depth == 0) /* release: pairs with the revoker's acquire */
        atomic_store_explicit(&lock_section[lock_mine.grant].busy, false, memory_order_release);
    return true;
}

/* Whether locks are off, or this thread is in a section. While that is so no other thread is in a section or
 * holds a lock. */
static inline bool lock_is_alone(void)
{
    return !lock_enabled || lock_mine.depth;
}

/* lock_add for when other threads may hold locks, and for when lock_is_alone(). */
uint32_t lock_add_shared(_Atomic uint32_t *count, uint32_t change);
static inline __attribute__((always_inline)) uint32_t lock_add_alone(_Atomic uint32_t *count, uint32_t change)
{
    uint32_t sum = atomic_load_explicit(count, memory_order_relaxed) + change;

    atomic_store_explicit(count, sum, memory_order_release);
    return sum;
}

/* Adds to a count that only this function changes; returns the sum. Acquire and release. No atomic
 * read-modify-write is needed where no other thread can do the same: in a section, which begins here if need be. */
static inline __attribute__((always_inline)) uint32_t lock_add(_Atomic uint32_t *count, uint32_t change)
{
    return lock_is_alone() ? lock_add_alone(count, change) : lock_add_shared(count, change);
}

/* Whether several threads call MPI alternately, or may: for choices that are correct either way. */
static inline bool lock_is_shared(void)
{
    return lock_enabled && atomic_load_explicit(&lock_bias, memory_order_relaxed) == LOCK_UNBIASED;
}

/* Takes a mutex that another thread has. */
void lock_contend(struct lock *l) __attribute__((cold));

static inline void lock_always_take(struct lock *l)
{
    if (__builtin_expect(pthread_mutex_trylock(&l->mutex) != 0, 0))
        lock_contend(l);
}

static inline void lock_always_release(struct lock *l)
{
    int error = pthread_mutex_unlock(&l->mutex);

    assert(error == 0);
    (void)error;
}

void lock_take(struct lock *l);
void lock_release(struct lock *l);

/* The same inline, for locks that every message takes; the many others avoid the code size. */
static inline void lock_take_inline(struct lock *l)
{
    if (lock_enabled && !lock_begin())
        lock_always_take(l);
}

static inline void lock_release_inline(struct lock *l)
{
    if (lock_enabled && !lock_end())
        lock_always_release(l);
}

/* False: it is taken. */
static inline bool lock_try(struct lock *l)
{
    return !lock_enabled || lock_begin() || pthread_mutex_trylock(&l->mutex) == 0;
}

#endif
