/* bell: tells a receiver of rings that it does not poll, and wakes it when it sleeps.
 *
 * A sender publishes a message and then loads two words that the receiver writes:
 *   control->watched  0: the receiver does not poll this ring: set its doorbell bit;
 *   head->attention   ASLEEP: the receiver sleeps on head->bell: count it up and wake the futex.
 *
 * Before the receiver relies on being notified (before it sleeps, or stops watching), it stores its word and
 * polls once more. One of the two must see the other's store. That takes a store, a full fence and a load on
 * both sides. The sender's fence would cost more than the message, so the receiver pays for both with
 * membarrier(2). Where membarrier is missing, or where sleeping is frequent because ranks outnumber cores,
 * the receiver sets FENCE, and senders fence.
 */
#ifndef NET_SHM_BELL_H
#define NET_SHM_BELL_H

#include "net/shm/arena.h"
#include "net/transport.h"

/* The receiver's side; `head` is this process's. */
void bell_open(struct arena_head *head, bool sleeps_often);
uint32_t bell_prepare(struct arena_head *head); /* announces sleep; returns the value to sleep on */
void bell_sleep(struct arena_head *head, uint32_t seen, uint64_t most_ns); /* most_ns 0: until it is woken */
void bell_cancel(struct arena_head *head);
void bell_wake_threads(struct arena_head *head); /* wakes every sleeping thread of this process */
/* Orders this process's last store before the loads that follow, for all senders. False: it cannot. */
bool bell_order(struct arena_head *head);

/* The sender's side. bell_ring comes after publishing into the ring of `control`; bell_nudge after a store
 * that the receiver looks at whenever it polls. */
void bell_answer(struct arena_head *head, struct lane_head *lane, struct ring_control *control,
                 int my_local_rank);
void bell_wake(struct arena_head *head);

static inline void bell_ring(struct arena_head *head, struct lane_head *lane, struct ring_control *control,
                             int my_local_rank)
{
    /* keeps the compiler from moving the loads up; the receiver's membarrier does the rest (bell_order) */
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&head->attention, memory_order_relaxed) != AWAKE ||
        !atomic_load_explicit(&control->watched, memory_order_relaxed))
        bell_answer(head, lane, control, my_local_rank);
}

static inline void bell_nudge(struct arena_head *head)
{
    atomic_signal_fence(memory_order_seq_cst); /* as above */
    if (atomic_load_explicit(&head->attention, memory_order_relaxed) != AWAKE)
        bell_wake(head);
}

#endif
