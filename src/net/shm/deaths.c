#include "net/shm/deaths.h"

#include "boot/boot.h"
#include "hint/hint.h"
#include "net/net.h"
#include "net/shm/attach.h"
#include "net/shm/local.h"
#include "progress/progress.h"

#include <stdatomic.h>

static _Atomic uint32_t seen; /* so many have been counted as losses; relaxed: attach.h orders what follows */
static uint64_t taken[HOST_DEAD_WORDS]; /* under lane 0 */

static int deaths_poll(bool all)
{
    uint32_t before = atomic_load_explicit(&seen, memory_order_relaxed), now;

    (void)all;
    if (!local.page)
        return 0;
    now = atomic_load_explicit(&local.page->deaths, memory_order_acquire);
    if (now == before || !atomic_compare_exchange_strong_explicit(&seen, &before, now, memory_order_relaxed,
                                                                  memory_order_relaxed))
        return 0;
    attach_count_losses((int)(now - before));
    return 1;
}

void deaths_open(void)
{
    static bool is_polled;

    if (!hint_process.value[HINT_SURVIVE] || is_polled)
        return;
    is_polled = true;
    progress_add_poller(deaths_poll);
}

void net_say_over(void)
{
    if (local.page)
        host_page_end(local.page, boot.local_rank);
}

int deaths_look(void)
{
    for (int i = 0; local.page && i < boot.local_size; i++)
        if (host_page_is_dead(local.page, i) && !(taken[i / 64] >> i % 64 & 1))
            return i;
    return -1;
}

void deaths_take(int local_rank)
{
    taken[local_rank / 64] |= (uint64_t)1 << local_rank % 64;
    attach_count_losses(-1);
}
