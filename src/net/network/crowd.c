#include "net/network/crowd.h"

#include "plain/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LOOK_MS = 6000,
    AGAIN_MS = 1000,  /* while looks are of use */
    SILENT_MS = 1000, /* a peer that is about to speak takes less */
    DESCRIPTORS = 65536
};

static struct {
    uint64_t next_ns;        /* the thread's */
    _Atomic bool is_there;   /* relaxed, as the next: a look too late does no harm */
    _Atomic bool has_helped; /* connections were ended since the last look */
} crowd;

void crowd_make_room(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* How many descriptors this process may have. */
static int count_allowed(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
}

/* The kernel gives the lowest number that is free, so nearly all below are in use. */
bool crowd_is_heavy(void)
{
    int lowest = eventfd(0, EFD_CLOEXEC);

    if (lowest >= 0)
        close(lowest);
    return lowest < 0 ? errno == EMFILE : lowest >= count_allowed() / 4 * 3;
}

int crowd_look(bool *wake)
{
    uint64_t now = clock_ns();

    *wake = false;
    if (now >= crowd.next_ns) {
        bool again = atomic_exchange_explicit(&crowd.has_helped, false, memory_order_relaxed);

        *wake = crowd_is_heavy();
        atomic_store_explicit(&crowd.is_there, *wake, memory_order_relaxed);
        crowd.next_ns = now + (uint64_t)(again ? AGAIN_MS : LOOK_MS) * 1000000;
    }
    return (int)((crowd.next_ns - now) / 1000000) + 1;
}

bool crowd_is_there(void)
{
    return atomic_load_explicit(&crowd.is_there, memory_order_relaxed);
}

void crowd_disperse(int (*end_silent)(unsigned ms, int most))
{
    atomic_store_explicit(&crowd.is_there, false, memory_order_relaxed);
    if (end_silent(SILENT_MS, count_allowed()))
        atomic_store_explicit(&crowd.has_helped, true, memory_order_relaxed);
}
