/* call_lock: the lock under which checks run.
 *
 * It is the *owner's*, the first thread that takes it, as long as no other one calls MPI: the owner takes it with plain stores. The
 * watchdog (hang.c) *visits*: it makes the owner take the mutex until it leaves. The first call of another thread does so for
 * good.
 *
 * Memory order. The owner says that it is busy, and looks whether somebody is there; a visitor says that it is there, and waits
 * until the owner is not busy. One must see the other: the visitor pays for both sides with membarrier(2), and without that there
 * is no owner. `busy` publishes what the owner did, `visited` what visitors did: stored with release, loaded with acquire.
 */
#ifndef INSIGHT_CALL_CALL_LOCK_H
#define INSIGHT_CALL_CALL_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool call_lock_busy;    /* the owner has it; written by the owner */
extern _Atomic bool call_lock_visited; /* the mutex decides; written under the mutex */
extern __thread bool call_lock_owned __attribute__((tls_model("initial-exec"))); /* by this thread */

/* Of threads that call MPI. */
void call_lock_take_late(void) __attribute__((cold));
void call_lock_release_late(void) __attribute__((cold));
/* Of the watchdog. */
void call_lock_visit(void);
void call_lock_leave(void);

static inline void call_lock_take(void)
{
    if (call_lock_owned) {
        atomic_store_explicit(&call_lock_busy, true, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst); /* the visitor's membarrier does the rest */
        if (__builtin_expect(!atomic_load_explicit(&call_lock_visited, memory_order_acquire), 1))
            return;
        atomic_store_explicit(&call_lock_busy, false, memory_order_release);
    }
    call_lock_take_late();
}

static inline void call_lock_release(void)
{
    if (call_lock_owned && atomic_load_explicit(&call_lock_busy, memory_order_relaxed))
        atomic_store_explicit(&call_lock_busy, false, memory_order_release);
    else
        call_lock_release_late();
}

#endif
