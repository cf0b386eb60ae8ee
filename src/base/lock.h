/* lock: mutual exclusion between the threads of this process.
 *
 * A `struct lock` costs one predictable branch below MPI_THREAD_MULTIPLE: until lock_enable() is called (by
 * MPI_Init_thread or MPI_Session_init granting MPI_THREAD_MULTIPLE, before a second thread may call MPI)
 * take and release do nothing. State that MPI lets threads touch before initialisation or at any thread
 * level (info objects, pools, keyvals, error codes) uses lock_always_take/release instead.
 * Who finds a lock taken spins for a moment before it sleeps.
 * Locks are not recursive. None may be held while user code (a callback) runs. Builds with assertions end a
 * process that takes a lock twice or releases one that it does not have.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

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

extern bool lock_enabled; /* written once, before a second thread calls MPI; read by all */

void lock_enable(void);

static inline void lock_always_take(struct lock *l)
{
    int error = pthread_mutex_lock(&l->mutex);

    assert(error == 0);
    (void)error;
}

static inline void lock_always_release(struct lock *l)
{
    int error = pthread_mutex_unlock(&l->mutex);

    assert(error == 0);
    (void)error;
}

static inline void lock_take(struct lock *l)
{
    if (lock_enabled)
        lock_always_take(l);
}

static inline void lock_release(struct lock *l)
{
    if (lock_enabled)
        lock_always_release(l);
}

/* False: it is taken. */
static inline bool lock_try(struct lock *l)
{
    return !lock_enabled || pthread_mutex_trylock(&l->mutex) == 0;
}

#endif
