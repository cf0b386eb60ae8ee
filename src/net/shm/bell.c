#include "net/shm/bell.h"

#include "base/lock.h"
#include "plain/cpu.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    NAP_NS = 10 * 1000 * 1000, /* longest sleep of a process that may miss a notification */
    NS_PER_S = 1000 * 1000 * 1000
};

static bool has_membarrier;
static struct lock announcing = LOCK_INIT;
static int announced; /* threads between bell_prepare and bell_cancel; under `announcing` */
static _Atomic bool
    naps; /* no membarrier, or senders that did not fence from the start; relaxed: who finds that sets it
                              * before it sleeps itself */

void bell_open(struct arena_head *head, bool sleeps_often)
{
    has_membarrier = cpu_membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
    if (has_membarrier && !sleeps_often)
        return;
    /* Senders that looked before this store may not fence yet; naps cover those few. Relaxed: the fence of bell_order comes before
     * each sleep. */
    atomic_store_explicit(&head->attention, FENCE, memory_order_relaxed);
    atomic_store_explicit(&naps, true, memory_order_relaxed);
}

bool bell_order(struct arena_head *head)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&head->attention, memory_order_relaxed) & FENCE)
        return true;
    return has_membarrier && cpu_membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0;
}

/* ASLEEP stays set while any thread of this process has announced sleep, or until a sender clears it: that
 * sender wakes all threads. Release: keeps the load of `bell` before it (bell_wake_one); the fence of bell_order does the rest. */
uint32_t bell_prepare(struct arena_head *head)
{
    uint32_t seen = atomic_load_explicit(&head->bell, memory_order_relaxed);

    lock_take(&announcing);
    announced++;
    atomic_fetch_or_explicit(&head->attention, ASLEEP, memory_order_release);
    lock_release(&announcing);
    if (!bell_order(head))
        atomic_store_explicit(&naps, true, memory_order_relaxed);
    return seen;
}

void bell_cancel(struct arena_head *head)
{
    lock_take(&announcing);
    if (--announced == 0)
        atomic_fetch_and_explicit(&head->attention, ~(uint32_t)ASLEEP, memory_order_relaxed);
    lock_release(&announcing);
}

void bell_sleep(struct arena_head *head, uint32_t seen, uint64_t most_ns)
{
    bool is_nap = atomic_load_explicit(&naps, memory_order_relaxed) && (!most_ns || most_ns > NAP_NS);
    uint64_t ns = is_nap ? NAP_NS : most_ns;
    struct timespec nap = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

    syscall(SYS_futex, &head->bell, FUTEX_WAIT, seen, ns ? &nap : NULL, NULL, 0);
    bell_cancel(head);
}

void bell_wake_threads(struct arena_head *head)
{
    atomic_fetch_add_explicit(&head->bell, 1, memory_order_release);
    syscall(SYS_futex, &head->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void set_doorbell(struct lane_head *lane, int my_local_rank)
{
    atomic_fetch_or_explicit(&lane->doorbell[my_local_rank / 64], (uint64_t)1 << my_local_rank % 64,
                             memory_order_relaxed);
    /* release: who sees the flag sees the bit (acquire in watch.c, answer_doorbell). No plain store: it would take the flag of another
     * sender away, whose bit the receiver need not see then. */
    atomic_fetch_or_explicit(&lane->rung, 1, memory_order_release);
}

/* Only the sender that clears ASLEEP wakes. */
static void bell_wake_one(struct arena_head *head)
{
    uint32_t before = atomic_fetch_and_explicit(&head->attention, ~(uint32_t)ASLEEP, memory_order_relaxed);

    if (!(before & ASLEEP))
        return;
    /* release, behind the clear: a receiver that has this count and announces sleep again does so after it (bell_prepare) */
    atomic_fetch_add_explicit(&head->bell, 1, memory_order_release);
    syscall(SYS_futex, &head->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void bell_answer(struct arena_head *head, struct lane_head *lane, struct ring_control *control,
                 int my_local_rank)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the one in bell_order */
    if (!atomic_load_explicit(&control->watched, memory_order_relaxed)) {
        set_doorbell(lane, my_local_rank);
        atomic_thread_fence(memory_order_seq_cst); /* the sleeper sets ASLEEP, then looks at `rung` */
    }
    if (atomic_load_explicit(&head->attention, memory_order_relaxed) & ASLEEP)
        bell_wake_one(head);
}

void bell_wake(struct arena_head *head)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the one in bell_order */
    if (atomic_load_explicit(&head->attention, memory_order_relaxed) & ASLEEP)
        bell_wake_one(head);
}
