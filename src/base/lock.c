#include "base/lock.h"

#include "base/thread.h"
#include "plain/cpu.h"

#include <sched.h>
#include <time.h>

enum {
    FIRST_PAUSES = 16,  /* of a thread that finds a mutex taken, before it looks again; then twice as many */
    LAST_PAUSES = 1024, /* 30 to 100 us in all, about what a sleep and a wake-up cost both threads */
    LOOKS = 1000,       /* polls of a section before yielding to its thread */
    NAP_NS = 10 * 1000 * 1000
};

bool lock_enabled;
_Atomic unsigned lock_bias = LOCK_UNBIASED;
struct lock_section lock_section[LOCK_GRANTS + 1];
_Thread_local struct lock_mine lock_mine;

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER; /* guards writes of lock_bias */

void lock_enable(void)
{
    if (cpu_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0) {
        lock_mine.grant = 1;
        atomic_store_explicit(&lock_bias, lock_mine.grant, memory_order_release);
    }
    lock_enabled = true;
}

/* A full fence between the accesses before and after, in every thread of the process, this one included. If a
 * sandbox has since forbidden what lock_enable could do, it waits for the other thread's stores, which no
 * processor delays for that long. */
static void order(void)
{
    struct timespec nap = {0, NAP_NS};

    if (cpu_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
        nanosleep(&nap, NULL);
}

/* The holder of `changing` revokes the grant in force, and waits for the end of its section. */
static void take_back(unsigned grant)
{
    atomic_store_explicit(&lock_bias, LOCK_NOBODYS, memory_order_seq_cst);
    order();
    for (int i = 0; atomic_load_explicit(&lock_section[grant].busy, memory_order_acquire); i++)
        if (i >= LOOKS)
            sched_yield();
}

/* Revokes the bias, if another thread has it. This thread gets it, unless it is to end or was granted often
 * enough. */
static void lock_change(bool is_last)
{
    unsigned grant;

    pthread_mutex_lock(&changing);
    grant = atomic_load_explicit(&lock_bias, memory_order_relaxed);
    if (grant != LOCK_UNBIASED) {
        take_back(grant);
        is_last = is_last || grant == LOCK_GRANTS;
        if (!is_last)
            lock_mine.grant = grant + 1;
        atomic_store_explicit(&lock_bias, is_last ? LOCK_UNBIASED : grant + 1, memory_order_release);
    }
    pthread_mutex_unlock(&changing);
}

void lock_end_bias(void)
{
    lock_change(true);
}

bool lock_begin_late(void)
{
    /* the section that lock_begin may have begun for a grant that was revoked */
    atomic_store_explicit(&lock_section[lock_mine.grant].busy, false, memory_order_release);
    lock_change(false);
    return lock_begin();
}

/* Looks at growing distances: the thread that has the mutex keeps its cache line meanwhile, and often takes it again for its
 * next message. Two threads that hand a line to each other at each message are slower than one. */
void lock_contend(struct lock *l)
{
    int error;

    for (unsigned pauses = FIRST_PAUSES; pauses <= LAST_PAUSES; pauses *= 2) {
        for (unsigned i = 0; i < pauses; i++)
            thread_relax();
        if (pthread_mutex_trylock(&l->mutex) == 0)
            return;
    }
    error = pthread_mutex_lock(&l->mutex);
    assert(error == 0);
    (void)error;
}

/* seq_cst: a sleeper that does not see the change is seen by who made it (progress_tell_threads) */
uint32_t lock_add_shared(_Atomic uint32_t *count, uint32_t change)
{
    uint32_t sum;

    if (!lock_begin())
        return atomic_fetch_add_explicit(count, change, memory_order_seq_cst) + change;
    sum = lock_add_alone(count, change);
    lock_end();
    return sum;
}

__attribute__((noinline)) void lock_take(struct lock *l)
{
    lock_take_inline(l);
}

__attribute__((noinline)) void lock_release(struct lock *l)
{
    lock_release_inline(l);
}
