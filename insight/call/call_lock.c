#include "insight/call/call_lock.h"

#include "plain/cpu.h"

#include <pthread.h>
#include <sched.h>

_Atomic bool call_lock_busy, call_lock_visited;
__thread bool call_lock_owned;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool has_owner, is_shared; /* owned by the mutex; shared: several threads call MPI */

/* Stands behind turn_owner_away: gcc 14 does not see that it acquires, and would load the caller's static variables before it. */
static inline void keep_loads_behind(void)
{
    __asm__ volatile("" ::: "memory");
}

/* The holder of the mutex makes the owner take it, too, and waits until it is not busy. */
static void turn_owner_away(void)
{
    atomic_store_explicit(&call_lock_visited, true, memory_order_seq_cst);
    cpu_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    while (atomic_load_explicit(&call_lock_busy, memory_order_acquire))
        sched_yield();
}

void call_lock_take_late(void)
{
    pthread_mutex_lock(&mutex);
    if (!has_owner) {
        has_owner = true;
        is_shared = cpu_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0;
        atomic_store_explicit(&call_lock_visited, is_shared, memory_order_relaxed);
        call_lock_owned = true;
    } else if (!call_lock_owned && !is_shared) {
        is_shared = true;
        turn_owner_away();
        keep_loads_behind();
    }
}

void call_lock_release_late(void)
{
    pthread_mutex_unlock(&mutex);
}

void call_lock_visit(void)
{
    pthread_mutex_lock(&mutex);
    if (!is_shared)
        turn_owner_away();
    keep_loads_behind();
}

void call_lock_leave(void)
{
    if (!is_shared)
        atomic_store_explicit(&call_lock_visited, false, memory_order_release);
    pthread_mutex_unlock(&mutex);
}
