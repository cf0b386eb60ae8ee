/* run_once: runs a job that serves several threads in one of them at a time. A thread that comes meanwhile
 * counts itself and returns. The running thread then repeats the job, since the other may have seen something
 * that the job had looked for before. No lock is held.
 *
 *     if (run_once_begin(&once))
 *         do
 *             work();
 *         while (!run_once_end(&once, &seen));     with `int seen = 1` before
 */
#ifndef BASE_RUN_ONCE_H
#define BASE_RUN_ONCE_H

#include "base/lock.h"

#include <stdatomic.h>

struct run_once {
    _Atomic int callers; /* acq_rel passes the job's data from one thread to the next */
};

/* False: another thread runs the job, or this one does, further up its stack. */
static inline bool run_once_begin(struct run_once *t)
{
    if (lock_enabled)
        return atomic_fetch_add_explicit(&t->callers, 1, memory_order_acq_rel) == 0;
    if (atomic_load_explicit(&t->callers, memory_order_relaxed))
        return false;
    atomic_store_explicit(&t->callers, 1, memory_order_relaxed);
    return true;
}

/* False: others have come; run the job again. */
static inline bool run_once_end(struct run_once *t, int *seen)
{
    if (lock_enabled)
        return atomic_compare_exchange_strong_explicit(&t->callers, seen, 0, memory_order_acq_rel,
                                                       memory_order_acquire);
    atomic_store_explicit(&t->callers, 0, memory_order_relaxed);
    return true;
}

#endif
