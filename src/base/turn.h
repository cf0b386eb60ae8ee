/* turn: of the threads that come to do a job which serves them all, one does it. Another that comes meanwhile
 * counts itself and goes; the one at work then does it once more, since the other may have seen something
 * that this one had looked for before. No lock is held.
 *
 *     if (turn_take(&turn))
 *         do
 *             work();
 *         while (!turn_end(&turn, &seen));     with `int seen = 1` before
 */
#ifndef BASE_TURN_H
#define BASE_TURN_H

#include "base/lock.h"

#include <stdatomic.h>

struct turn {
    _Atomic int callers; /* acquire-release hands what the job works on from one thread to the next */
};

/* False: another is at it, or this thread is, further up. */
static inline bool turn_take(struct turn *t)
{
    if (lock_enabled)
        return atomic_fetch_add_explicit(&t->callers, 1, memory_order_acq_rel) == 0;
    if (atomic_load_explicit(&t->callers, memory_order_relaxed))
        return false;
    atomic_store_explicit(&t->callers, 1, memory_order_relaxed);
    return true;
}

/* False: others have come. */
static inline bool turn_end(struct turn *t, int *seen)
{
    if (lock_enabled)
        return atomic_compare_exchange_strong_explicit(&t->callers, seen, 0, memory_order_acq_rel,
                                                       memory_order_acquire);
    atomic_store_explicit(&t->callers, 0, memory_order_relaxed);
    return true;
}

#endif
