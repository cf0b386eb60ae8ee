#include "progress/poll_queue.h"

void poll_queue_register(struct poll_queue *q, poll_fn *poll)
{
    lock_take(&q->lock);
    if (!q->is_polled)
        progress_add_poller(poll);
    q->is_polled = true;
    lock_release(&q->lock);
}

int poll_queue_run(struct poll_queue *q, poll_fn *advance, bool all)
{
    int events = 0, seen = 1;

    if (!poll_queue_count(q) || !run_once_begin(&q->runner))
        return 0;
    do
        events += advance(all);
    while (!run_once_end(&q->runner, &seen));
    return events;
}

/* The lock orders the changes of the count. */
static void count_entries(struct poll_queue *q, int change)
{
    atomic_store_explicit(&q->count, poll_queue_count(q) + change, memory_order_relaxed);
}

void poll_queue_add(struct poll_queue *q, struct link *entry, bool is_first)
{
    list_add(is_first ? q->entries.next : &q->entries, entry);
    count_entries(q, 1);
}

void poll_queue_remove(struct poll_queue *q, struct link *entry)
{
    list_remove(entry);
    count_entries(q, -1);
}

struct link *poll_queue_next(struct poll_queue *q, const struct link *l, const struct link *head)
{
    struct link *next;

    lock_take(&q->lock);
    next = l->next;
    lock_release(&q->lock);
    return next == head ? NULL : next;
}
