/* poll_queue: operations in flight that a poller advances.
 *
 *     static struct poll_queue queue = POLL_QUEUE_INIT(queue);
 *
 *     static int poll(bool all)
 *     {
 *         return poll_queue_run(&queue, advance, all);
 *     }
 *
 * The first entry registers the poller. Of the threads that poll, one at a time runs `advance`, without the lock.
 */
#ifndef PROGRESS_POLL_QUEUE_H
#define PROGRESS_POLL_QUEUE_H

#include "base/list.h"
#include "base/lock.h"
#include "base/run_once.h"
#include "progress/progress.h"

struct poll_queue {
    struct lock lock;       /* guards `entries` and is_polled */
    struct link entries;    /* taken out only by the thread that has `runner`, if the poller uses it */
    bool is_polled;         /* the poller is registered */
    _Atomic int count;      /* of entries, relaxed; a hint for the poller */
    struct run_once runner; /* who has it runs `advance` */
};
#define POLL_QUEUE_INIT(queue)                                                                               \
    {                                                                                                        \
        .lock = LOCK_INIT, .entries = LIST_INIT((queue).entries)                                             \
    }

/* Registers the poller, once. */
void poll_queue_register(struct poll_queue *q, poll_fn *poll);
/* The poller's body. Returns the events that `advance` counted; 0 at once where there are no entries. */
int poll_queue_run(struct poll_queue *q, poll_fn *advance, bool all);

/* The caller of these holds the lock. An entry comes before all others, or after them. */
void poll_queue_add(struct poll_queue *q, struct link *entry, bool is_first);
void poll_queue_remove(struct poll_queue *q, struct link *entry);

/* The entry behind `l` in a list that the lock guards, whose head is `head`; NULL: none. Takes the lock. */
struct link *poll_queue_next(struct poll_queue *q, const struct link *l, const struct link *head);

static inline int poll_queue_count(struct poll_queue *q)
{
    return atomic_load_explicit(&q->count, memory_order_relaxed);
}

#endif
