/* bell: how a receiver learns of rings that it does not look at, and is woken when it sleeps.
 *
 * A sender publishes a message and then looks at two words that the receiver writes:
 *   control->watched  0: the receiver does not poll this ring: set its doorbell bit;
 *   head->attention   ASLEEP: the receiver sleeps on head->bell: count it up and wake the futex.
 * The receiver, before it relies on being told (goes to sleep, stops watching), writes its word and looks
 * once more. One of the two must see the other: store, then load, on both sides, which takes a full fence on
 * both. The sender's would cost more than the message, so the receiver pays for both with membarrier(2).
 * Where that is not to be had, or where sleeping is frequent because ranks outnumber cores, it sets FENCE,
 * and senders fence.
 */
#ifndef NET_SHM_BELL_H
#define NET_SHM_BELL_H

#include "net/shm/arena.h"
#include "net/transport.h"

/* Receiver's side; `head` is its own. */
void bell_open(struct arena_head *head, bool sleeps_often);
uint32_t bell_prepare(struct arena_head *head); /* announces sleep; returns what to sleep on */
void bell_sleep(struct arena_head *head, uint32_t seen, uint64_t most_ns); /* 0: until somebody wakes it */
void bell_cancel(struct arena_head *head);
void bell_wake_threads(struct arena_head *head); /* every thread of this process that sleeps */
/* Orders this process's last store before the loads that follow, towards all senders. False: cannot. */
bool bell_order(struct arena_head *head);

/* Sender's side. bell_tell comes after publishing into the ring of `control`; bell_nudge after a store that
 * the receiver looks at whenever it polls. */
void bell_answer(struct arena_head *head, struct lane_head *lane, struct ring_control *control,
                 int my_local_rank);
void bell_wake(struct arena_head *head);

static inline void bell_tell(struct arena_head *head, struct lane_head *lane, struct ring_control *control,
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
