/* run_once: of the threads that come to do a job which serves them all, one does it. Another that comes meanwhile
 * counts itself and goes; the one at work then does it once more, since the other may have seen something
 * that this one had looked for before. No lock is held.
 *
 *     if (run_once_begin(&turn))
 *         do
 *             work();
 *         while (!run_once_end(&turn, &seen));     with `int seen = 1` before
 */
#ifndef BASE_RUN_ONCE_H
#define BASE_RUN_ONCE_H

#include "base/lock.h"

#include <stdatomic.h>

struct run_once {
    _Atomic int callers; /* acquire-release hands what the job works on from one thread to the next */
};

/* False: another is at it, or this thread is, further up. */
static inline bool run_once_begin(struct run_once *t)
{
    if (lock_enabled)
        return atomic_fetch_add_explicit(&t->callers, 1, memory_order_acq_rel) == 0;
    if (atomic_load_explicit(&t->callers, memory_order_relaxed))
        return false;
    atomic_store_explicit(&t->callers, 1, memory_order_relaxed);
    return true;
}

/* False: others have come. */
static inline bool run_once_end(struct run_once *t, int *seen)
{
    if (lock_enabled)
        return atomic_compare_exchange_strong_explicit(&t->callers, seen, 0, memory_order_acq_rel,
                                                       memory_order_acquire);
    atomic_store_explicit(&t->callers, 0, memory_order_relaxed);
    return true;
}

#endif
