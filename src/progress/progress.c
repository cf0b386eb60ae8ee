#include "progress/progress.h"

#include "base/clock.h"
#include "base/lock.h"
#include "hint/hint.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum {
    SPIN_ROUNDS = 64,    /* idle rounds between looks at the clock */
    CROWDED_ROUNDS = 1,  /* idle rounds before yielding when ranks outnumber cores */
    CROWDED_YIELDS = 24, /* yields before sleeping then */
    NAP_NS = 50 * 1000   /* without a sleeper */
};

static poll_fn *pollers[POLLER_LIMIT];
static _Atomic int poller_count; /* release after pollers[] is written; acquire to poll */
static const struct sleeper *sleeper;
static bool crowded;
static int awake;            /* reasons not to sleep; under the lock of whoever changes it */
static _Atomic int sleeping; /* threads of this process in sleep_until_rung */

void poller_add(poll_fn *poll)
{
    int count = atomic_load_explicit(&poller_count, memory_order_relaxed);

    if (count == POLLER_LIMIT)
        return;
    pollers[count] = poll;
    atomic_store_explicit(&poller_count, count + 1, memory_order_release);
}

void poller_remove(poll_fn *poll)
{
    for (int i = 0; i < poller_count; i++)
        if (pollers[i] == poll)
            pollers[i--] = pollers[--poller_count];
}

int progress_poll(void)
{
    int count = atomic_load_explicit(&poller_count, memory_order_acquire);
    int events = 0;

    for (int i = 0; i < count; i++)
        events += pollers[i]();
    /* An event may be what another thread sleeps for. It counted itself before it looked for the last time.
     */
    if (events && lock_enabled && sleeper && atomic_load_explicit(&sleeping, memory_order_seq_cst))
        sleeper->wake();
    return events;
}

void progress_stay_awake(int change)
{
    awake += change;
}

void progress_set_sleeper(const struct sleeper *s)
{
    sleeper = s;
}

void progress_set_crowd(int ranks, int cores)
{
    crowded = ranks > cores;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Announce, look once more, sleep. */
static void sleep_until_rung(void)
{
    struct timespec nap = {0, NAP_NS};
    uint32_t seen;

    if (!sleeper || awake) {
        nanosleep(&nap, NULL);
        return;
    }
    atomic_fetch_add_explicit(&sleeping, 1, memory_order_seq_cst);
    seen = sleeper->prepare();
    if (progress_poll())
        sleeper->cancel();
    else
        sleeper->sleep(seen);
    atomic_fetch_sub_explicit(&sleeping, 1, memory_order_relaxed);
}

static void wait_crowded(struct wait *w)
{
    if (w->idle < CROWDED_ROUNDS)
        relax();
    else if (w->idle < CROWDED_ROUNDS + CROWDED_YIELDS)
        sched_yield();
    else
        sleep_until_rung();
}

static void wait_roomy(struct wait *w)
{
    uint64_t now;

    relax();
    if (w->idle % SPIN_ROUNDS)
        return;
    now = clock_ns();
    if (!w->since_ns)
        w->since_ns = now;
    else if (now - w->since_ns > (uint64_t)hint_process.value[HINT_SPIN_TIME])
        sleep_until_rung();
}

void progress_wait(struct wait *w)
{
    if (progress_poll()) {
        *w = (struct wait)WAIT_START;
        return;
    }
    w->idle++;
    if (crowded)
        wait_crowded(w);
    else
        wait_roomy(w);
}
