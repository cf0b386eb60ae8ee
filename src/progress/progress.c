#include "progress/progress.h"

#include "base/lock.h"
#include "base/thread.h"
#include "hint/hint.h"
#include "metric/event.h"
#include "metric/metric.h"
#include "plain/clock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum {
    SPIN_ROUNDS = 64,    /* idle rounds between reads of the clock */
    CROWDED_ROUNDS = 1,  /* idle rounds before yielding when ranks outnumber cores */
    CROWDED_YIELDS = 24, /* yields after that, before sleeping */
    NAP_NS = 50 * 1000,  /* without a sleeper */
    /* A wait that has slept and been woken in vain for AROUSED_NS naps where a sleep lasts no longer than VAIN_NS. */
    AROUSED_NS = 100 * 1000 * 1000,
    VAIN_NS = 50 * 1000,
    /* Another program computes on this core if twice in PAUSES_NS a yield, or the time between two rounds that spin, takes
     * longer than YIELD_LONG_NS, and the ranks of this host have not worked themselves for a WORK_SHARE of that time. Waits
     * sleep soon then, for SHARED_FIRST_NS. Where it is found again soon, they do so for twice as long, and so on. */
    YIELD_LONG_NS = 1000 * 1000,
    PAUSES_NS = 20 * 1000 * 1000,
    /* A yield that takes less has found nobody. After ALONE of those in a row a wait whose polls are system calls yields in one of ALONE_ROUNDS. */
    AT_ONCE_NS = 1000,
    ALONE = 32,
    ALONE_ROUNDS = 8,
    WORK_NS = 100 * 1000, /* outside waits: work, such as copying a large message */
    WORK_SHARE = 4,
    SHARED_FIRST_NS = 8 * 1000 * 1000,
    SHARED_MOST_NS = 128 * 1000 * 1000,
    /* Between calls that find nothing: */
    COMPUTES_NS = 2000, /* longer: the program does other work, so its thread yields and does not sleep */
    NAP_SHARE = 8,      /* such a sleep lasts at most this part of the time without an event ... */
    NAP_MOST_NS = 1000 * 1000, /* ... and at most this */
    /* Longer: it may be short work, a step of many, which a sleep for each would make a thousand times as long. All sleeps together then last
     * at most SLOWS times as long as the thread is awake, which it is for AWAKE_NS before each. */
    MAY_WORK_NS = 500,
    SLOWS = 2,
    AWAKE_NS = 50 * 1000,
    /* Of waits for a word: */
    WORD_ROUNDS = 64,            /* between polls, and reads of the clock, where each rank has a core; ... */
    WORD_CROWDED_ROUNDS = 8,     /* ... where they do not: between polls, ... */
    WORD_YIELDS = 24,            /* ... how often, and ... */
    WORD_YIELDS_NS = 200 * 1000, /* ... how long it yields before it naps */
    WORD_NAP_MOST_NS = 5 * 1000 * 1000
};

static poll_fn *pollers[POLLER_LIMIT];
static _Atomic int poller_count; /* release after pollers[] is written; acquire to poll */
/* Release when set, also while waits go on; acquire to use it. */
static _Atomic(const struct sleeper *) sleeper;
static _Atomic bool crowded;
static _Atomic int cores_here;        /* relaxed, as `crowded` */
static _Atomic bool far;              /* relaxed: a thread that sees it late yields less */
static _Atomic uint64_t paused_ns;    /* relaxed: the clock when a wait had last lost its core, and ... */
static _Atomic uint64_t paused_work;  /* ... how long the ranks had worked then */
static _Atomic uint64_t shared_until; /* relaxed: the clock until which the core is shared, and ... */
static _Atomic uint64_t shared_for;   /* ... for how long; threads that write them at once choose one's */
static _Atomic int awake;             /* reasons not to sleep */
static _Atomic int sleeping;          /* threads of this process that are about to sleep or sleep */
static _Atomic int resting;           /* threads of this process in progress_rest */

/* Counts that change all the time; only the sum over all stripes has a meaning. */
static struct {
    _Alignas(THREAD_LINE) _Atomic uint32_t news; /* events of this process, see sleep_until_rung */
    _Atomic uint32_t rounds; /* of waits; only a sign, so threads that share a stripe may lose counts */
} counts[THREAD_STRIPES];

/* This thread's calls that found nothing since the last event. */
static _Thread_local struct search {
    struct wait wait;
    uint64_t last_ns;  /* clock at the end of the last call that gave up the core; 0: none has */
    uint64_t awake_ns; /* clock at the end of the last sleep, or at the first call that gave up the core */
    bool may_work;     /* since then; see MAY_WORK_NS */
} search __attribute__((tls_model("initial-exec")));

/* How long the ranks of this host have worked, as far as their waits have told; relaxed: an estimate suffices. */
static _Atomic uint64_t own_work;
static _Atomic uint64_t *_Atomic work = &own_work; /* release when set, acquire to use it */

/* This thread's: the clock when it last came out of a yield, and the time of a core that it had used when it last told of work. */
static _Thread_local struct {
    uint64_t yielded_ns, used_ns;
    uint32_t at_once; /* yields in a row that have come back at once: nobody else wants this core */
    bool has_motion;  /* since the last round of a wait */
} worker __attribute__((tls_model("initial-exec")));

_Thread_local struct wait_note progress_awaited __attribute__((tls_model("initial-exec")));
int64_t progress_awaited_offset;

void progress_add_poller(poll_fn *poll)
{
    static struct lock adding = LOCK_INIT;
    int count;

    lock_take(&adding);
    progress_awaited_offset = (char *)&progress_awaited - (char *)thread_pointer();
    count = atomic_load_explicit(&poller_count, memory_order_relaxed);
    if (count < POLLER_LIMIT) {
        pollers[count] = poll;
        atomic_store_explicit(&poller_count, count + 1, memory_order_release);
    }
    lock_release(&adding);
}

static int poll_round(bool all)
{
    int count = atomic_load_explicit(&poller_count, memory_order_acquire);
    int events = 0;

    for (int i = 0; i < count; i++)
        events += pollers[i](all);
    if (events) {
        search.wait.idle = 0;
        progress_tell();
    }
    return events;
}

int progress_poll(void)
{
    int events = poll_round(false);

    event_deliver();
    return events;
}

/* Counts, then looks for sleepers. A sleeper counts itself, then looks at the news. One sees the other. */
void progress_tell_threads(void)
{
    /* without an atomic: the sleeper's last look takes locks, and so orders this store before it */
    lock_add(&counts[thread_stripe()].news, 1);
    if (atomic_load_explicit(&sleeping, memory_order_seq_cst) && progress_sleeper())
        progress_sleeper()->wake();
}

/* The counts only grow, so the sum is the same only if nothing has happened. */
static uint32_t count_news(void)
{
    uint32_t sum = 0;

    for (int i = 0; i < THREAD_STRIPES; i++)
        sum += atomic_load_explicit(&counts[i].news, memory_order_seq_cst);
    return sum;
}

void progress_stay_awake(int change)
{
    atomic_fetch_add_explicit(&awake, change, memory_order_seq_cst);
    if (change <= 0)
        return;
    progress_tell();
    if (atomic_load_explicit(&resting, memory_order_seq_cst)) /* counts itself, then looks at `awake` */
        progress_wake();
}

void progress_set_sleeper(const struct sleeper *s)
{
    atomic_store_explicit(&sleeper, s, memory_order_release);
}

const struct sleeper *progress_sleeper(void)
{
    return atomic_load_explicit(&sleeper, memory_order_acquire);
}

void progress_set_crowd(int ranks, int cores)
{
    atomic_store_explicit(&cores_here, cores, memory_order_relaxed);
    atomic_store_explicit(&crowded, ranks > cores, memory_order_relaxed);
}

void progress_set_work(_Atomic uint64_t *word)
{
    atomic_store_explicit(&work, word ? word : &own_work, memory_order_release);
}

int progress_cores(void)
{
    return atomic_load_explicit(&cores_here, memory_order_relaxed);
}

bool progress_is_crowded(void)
{
    return atomic_load_explicit(&crowded, memory_order_relaxed);
}

bool progress_may_spin(void)
{
    return !progress_is_crowded() && !atomic_load_explicit(&far, memory_order_relaxed);
}

void progress_set_far(bool is)
{
    atomic_store_explicit(&far, is, memory_order_relaxed);
}

static void sleep_in(struct sleep_ticket *ticket, uint64_t most_ns)
{
    uint64_t begin = event_is_wanted(EVENT_SLEEP) ? clock_ns() : 0;

    metric_count(METRIC_SLEEPS, 1);
    ticket->place->sleep(ticket->seen, most_ns);
    if (begin)
        event_raise((struct event){.id = EVENT_SLEEP, .value = {(int64_t)(clock_ns() - begin)}});
    atomic_fetch_sub_explicit(&sleeping, 1, memory_order_relaxed);
    ticket->place = NULL;
}

static void cancel_sleep(struct sleep_ticket *ticket)
{
    ticket->place->cancel();
    atomic_fetch_sub_explicit(&sleeping, 1, memory_order_relaxed);
    ticket->place = NULL;
}

/* Announces sleep and looks once more. False: something happened or, where nobody would wake the process, it has
 * napped. A thread that is about to sleep counts itself, then looks for reasons to stay awake. A thread with such a
 * reason adds it, then looks for sleepers (progress_tell). One sees the other. */
static bool prepare_sleep(struct sleep_ticket *ticket)
{
    const struct sleeper *place = progress_sleeper();
    struct timespec nap = {0, NAP_NS};

    if (!place || atomic_load_explicit(&awake, memory_order_relaxed)) {
        nanosleep(&nap, NULL);
        return false;
    }
    atomic_fetch_add_explicit(&sleeping, 1, memory_order_seq_cst);
    *ticket = (struct sleep_ticket){place, place->prepare()};
    if (!poll_round(true) && !atomic_load_explicit(&awake, memory_order_seq_cst))
        return true;
    cancel_sleep(ticket);
    return false;
}

/* Something wakes it again and again although nothing comes: the network's descriptor may be ready as long as a connection of UCX waits for
 * the peer's process, which may need this core. begin: the clock before the sleep. */
static void nap_if_aroused(const struct wait *w, uint64_t begin)
{
    uint64_t now = clock_ns();

    if (now - begin < VAIN_NS && now - w->slept_ns > AROUSED_NS)
        nanosleep(&(struct timespec){.tv_nsec = NAP_MOST_NS}, NULL);
}

/* Announces sleep, looks once more, sleeps. It looks at what peers sent and at what other threads did since
 * the waiter last looked: a thread may have received the very message that this one waits for. */
static void sleep_until_rung(struct wait *w, uint64_t most_ns)
{
    struct sleep_ticket ticket;
    uint64_t begin;

    if (!prepare_sleep(&ticket))
        return;
    if (count_news() != w->news) {
        cancel_sleep(&ticket);
        return;
    }
    begin = clock_ns();
    if (!w->slept_ns)
        w->slept_ns = begin;
    sleep_in(&ticket, most_ns);
    nap_if_aroused(w, begin);
}

void progress_wake(void)
{
    const struct sleeper *place = progress_sleeper();

    if (place)
        place->wake();
}

uint32_t progress_rounds(void)
{
    uint32_t sum = 0;

    for (int i = 0; i < THREAD_STRIPES; i++)
        sum += atomic_load_explicit(&counts[i].rounds, memory_order_relaxed);
    return sum;
}

static void count_round(void)
{
    _Atomic uint32_t *rounds = &counts[thread_stripe()].rounds;

    atomic_store_explicit(rounds, atomic_load_explicit(rounds, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Announces sleep, looks once more, sleeps, as in sleep_until_rung; but what other threads receive does not
 * matter. */
static void rest_until_rung(const struct sleeper *place, const _Atomic bool *is_over)
{
    struct timespec nap = {0, NAP_NS};
    uint32_t seen;

    atomic_fetch_add_explicit(&resting, 1, memory_order_seq_cst);
    if (!place || atomic_load_explicit(&awake, memory_order_relaxed)) {
        nanosleep(&nap, NULL);
    } else {
        seen = place->prepare();
        /* relaxed: who stores it then wakes, which counts up what `seen` is of (release; `prepare` acquires) */
        if (atomic_load_explicit(is_over, memory_order_relaxed) ||
            atomic_load_explicit(&awake, memory_order_seq_cst) || poll_round(true))
            place->cancel();
        else
            place->sleep(seen, 0);
    }
    atomic_fetch_sub_explicit(&resting, 1, memory_order_relaxed);
}

bool progress_rest(const _Atomic bool *is_over)
{
    uint32_t before = progress_rounds();

    rest_until_rung(progress_sleeper(), is_over);
    poll_round(true);
    event_deliver();
    return progress_rounds() == before;
}

/* The next round may sleep. Summing the news in every round would take the cache lines away from the threads
 * that count. */
static void get_ready(struct wait *w)
{
    w->may_sleep = true;
    w->news = count_news();
}

static bool core_is_shared(uint64_t now)
{
    return now < atomic_load_explicit(&shared_until, memory_order_relaxed);
}

static void share_core(uint64_t now, uint64_t duration)
{
    atomic_store_explicit(&shared_for, duration, memory_order_relaxed);
    atomic_store_explicit(&shared_until, now + duration, memory_order_relaxed);
}

static _Atomic uint64_t *work_word(void)
{
    return atomic_load_explicit(&work, memory_order_acquire);
}

/* If much time has gone by since the last yield, the thread has worked, slept or lost its core: what counts is what it has used of one. */
static void tell_work(uint64_t now)
{
    uint64_t all = now - worker.yielded_ns, before = worker.used_ns, used;

    if (all < WORK_NS)
        return;
    worker.used_ns = clock_thread_ns();
    used = worker.used_ns - before;
    atomic_fetch_add_explicit(work_word(), used < all ? used : all, memory_order_relaxed);
}

/* Whether ranks of this host explain why a wait has lost its core twice. */
static bool ranks_work(uint64_t worked, uint64_t duration)
{
    return worked > duration / WORK_SHARE * (uint64_t)progress_cores();
}

/* A wait has lost its core for long. Once may be by chance: processes that start compute. */
static void note_pause(uint64_t now)
{
    uint64_t since = now - atomic_load_explicit(&paused_ns, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(work_word(), memory_order_relaxed);
    uint64_t worked = done - atomic_load_explicit(&paused_work, memory_order_relaxed);
    uint64_t before = atomic_load_explicit(&shared_for, memory_order_relaxed);

    atomic_store_explicit(&paused_ns, now, memory_order_relaxed);
    atomic_store_explicit(&paused_work, done, memory_order_relaxed);
    if (since >= PAUSES_NS || ranks_work(worked, since))
        return;
    if (now - atomic_load_explicit(&shared_until, memory_order_relaxed) >= 2 * PAUSES_NS)
        share_core(now, SHARED_FIRST_NS);
    else
        share_core(now, before < SHARED_MOST_NS ? 2 * before : before);
}

/* Yields, and says whether that took no longer than among ranks of this host. Who computes beside them keeps the
 * core for milliseconds after a yield, but gives it back at once to a thread that has slept and is woken. begin: the clock. */
static bool yield_is_short(uint64_t begin)
{
    tell_work(begin);
    if (core_is_shared(begin))
        return false;
    sched_yield();
    worker.yielded_ns = clock_ns();
    worker.at_once = worker.yielded_ns - begin < AT_ONCE_NS ? worker.at_once + 1 : 0;
    if (worker.yielded_ns - begin > YIELD_LONG_NS)
        note_pause(worker.yielded_ns);
    return !core_is_shared(worker.yielded_ns);
}

/* The clock, of a wait that spins. The system takes the core away from who spins beside one who computes, time and again. */
static uint64_t read_clock(struct wait *w)
{
    uint64_t now = clock_ns(), last = w->last_ns;

    w->last_ns = now;
    if (!w->since_ns)
        w->since_ns = now;
    if (last && now - last > YIELD_LONG_NS)
        note_pause(now);
    return now;
}

/* Whether a spinning wait has done so for long enough. */
static bool has_spun(const struct wait *w, uint64_t now)
{
    return core_is_shared(now) || now - w->since_ns > (uint64_t)hint_value(&hint_process, HINT_SPIN_TIME);
}

/* Who looks stops the thread, or reads twice: no order of stores matters. */
static void note_awaited(struct wait *w, enum wait_kind kind, const void *what, uint64_t detail)
{
    struct wait_note *a = &progress_awaited;

    if (w->noted && w->noted == a->number && a->what == what && a->kind == kind && a->detail == detail)
        return;
    *a = (struct wait_note){a->number + 1 ? a->number + 1 : 1, kind, w, what, detail, clock_ns()};
    w->noted = a->number;
}

static void wait_crowded(struct wait *w, uint64_t most_ns)
{
    if (w->idle < CROWDED_ROUNDS) {
        thread_relax();
        return;
    }
    if (w->may_sleep)
        sleep_until_rung(w, most_ns);
    else if (yield_is_short(clock_ns()) && w->idle < CROWDED_ROUNDS + CROWDED_YIELDS - 1)
        return;
    get_ready(w);
}

/* Whether to yield in this round, for ranks that may share the core without knowing it. */
static bool is_to_yield(const struct wait *w)
{
    return atomic_load_explicit(&far, memory_order_relaxed) &&
           (worker.at_once < ALONE || w->idle % ALONE_ROUNDS == 0);
}

static void wait_roomy(struct wait *w)
{
    if (!atomic_load_explicit(&far,
                              memory_order_relaxed)) /* else each poll is a system call, which takes longer */
        thread_relax();
    if (w->may_sleep) {
        w->may_sleep = false;
        sleep_until_rung(w, 0);
        w->last_ns = 0;
    }
    if (is_to_yield(w) && !yield_is_short(clock_ns()))
        get_ready(w);
    if (w->idle % SPIN_ROUNDS)
        return;
    if (lock_is_shared()) /* there may be more threads than cores */
        sched_yield();
    if (has_spun(w, read_clock(w)))
        get_ready(w);
}

/* Before a wait sleeps it has been noted: also one that gives up its core early, for a network whose processes need cores. */
static void wait_idle(struct wait *w, enum wait_kind kind, const void *what, uint64_t detail)
{
    bool is_crowded = progress_is_crowded();

    w->idle++;
    count_round();
    if (w->may_sleep || (is_crowded ? w->idle > CROWDED_ROUNDS : w->idle % SPIN_ROUNDS == 0))
        note_awaited(w, kind, what, detail);
    if (is_crowded)
        wait_crowded(w, 0);
    else
        wait_roomy(w);
    event_deliver(); /* of the looks before a sleep */
}

/* A round while somebody watches the time of waits. */
__attribute__((noinline)) static void wait_watched(struct wait *w, enum wait_kind kind, const void *what,
                                                   uint64_t detail)
{
    uint64_t begin = clock_ns();

    wait_idle(w, kind, what, detail);
    metric_count(METRIC_WAIT_NS, clock_ns() - begin);
}

void progress_note_motion(void)
{
    worker.has_motion = true;
}

/* What moves a part at a time is no reason to sleep. */
static void heed_motion(struct wait *w)
{
    if (!worker.has_motion)
        return;
    worker.has_motion = false;
    w->may_sleep = false;
    w->since_ns = 0;
}

void progress_wait_for(struct wait *w, enum wait_kind kind, const void *what, uint64_t detail)
{
    int events = progress_poll();

    heed_motion(w);
    if (events)
        *w = (struct wait){.noted = w->noted};
    else if (__builtin_expect(metric_watches_waits(), 0))
        wait_watched(w, kind, what, detail);
    else
        wait_idle(w, kind, what, detail);
}

void progress_wait(struct wait *w)
{
    progress_wait_for(w, WAIT_UNNAMED, NULL, 0);
}

static void nap_part(uint64_t waited)
{
    struct timespec t = {
        0, (long)(waited / NAP_SHARE < WORD_NAP_MOST_NS ? waited / NAP_SHARE : WORD_NAP_MOST_NS)};

    nanosleep(&t, NULL);
}

/* Where wake-ups cost the others their cores. Who has a core alone has soon yielded often, while the others wait
 * for it: to nap at once took five times as long. The clock is not read again after a yield, since the waiter only looks
 * at a few lines before the next round. */
static void wait_word_crowded(struct wait *w, enum word_wait how)
{
    uint64_t now = w->last_ns ? w->last_ns : clock_ns(), waited;

    if (!w->since_ns)
        w->since_ns = now;
    waited = now - w->since_ns;
    w->last_ns = 0;
    if ((w->idle < WORD_YIELDS || (how != WORD_SLEEPS && waited < WORD_YIELDS_NS)) && yield_is_short(now))
        w->last_ns = worker.yielded_ns;
    else if (how == WORD_SLEEPS)
        (void)prepare_sleep(&w->ticket); /* as in wait_word_roomy */
    else
        nap_part(waited);
}

static void wait_word_roomy(struct wait *w, uint64_t now, enum word_wait how)
{
    if (!has_spun(w, now))
        return;
    w->last_ns = 0;
    if (how == WORD_NAPS)
        nap_part(now - w->since_ns);
    else
        (void)prepare_sleep(&w->ticket); /* the waiter looks before the next round */
}

static void poll_beside_word(struct wait *w)
{
    if (progress_poll())
        w->since_ns = 0; /* who has sent something may soon send more: a window's agent answers it */
}

/* A round that may poll, and needs the clock. */
static void wait_word_slowly(struct wait *w, bool is_crowded, enum word_wait how)
{
    if (!is_crowded) {
        poll_beside_word(w);
        wait_word_roomy(w, read_clock(w), how);
        return;
    }
    if (w->idle >= WORD_YIELDS || w->idle % WORD_CROWDED_ROUNDS == 0) {
        poll_beside_word(w);
        w->last_ns = 0;
    }
    wait_word_crowded(w, how);
}

/* Whether a round did more than look: such a wait is worth a note. */
static bool wait_word(struct wait *w, enum word_wait how)
{
    bool is_crowded = progress_is_crowded();

    if (w->ticket.place)
        sleep_in(&w->ticket, 0);
    w->idle++;
    if (is_crowded || w->idle % WORD_ROUNDS == 0) {
        wait_word_slowly(w, is_crowded, how);
        return true;
    }
    thread_relax();
    return false;
}

/* The note comes after the first slow round and before the first sleep, which a later round begins. */
void progress_wait_word_for(struct wait *w, enum word_wait how, enum wait_kind kind, const void *what,
                            uint64_t detail)
{
    uint64_t begin = metric_watches_waits() ? clock_ns() : 0;

    if (wait_word(w, how))
        note_awaited(w, kind, what, detail);
    if (begin)
        metric_count(METRIC_WAIT_NS, clock_ns() - begin);
}

void progress_wait_word(struct wait *w, enum word_wait how)
{
    progress_wait_word_for(w, how, WAIT_UNNAMED, NULL, 0);
}

void progress_wait_again(struct wait *w)
{
    if (w->ticket.place)
        cancel_sleep(&w->ticket);
    *w = (struct wait){.noted = w->noted};
}

static void progress_look_around(void)
{
    const struct sleeper *place = progress_sleeper();

    if (place && place->look_around)
        place->look_around();
}

/* Threads may outnumber the cores, too. */
static bool search_roomy(uint32_t idle)
{
    bool is_far = atomic_load_explicit(&far, memory_order_relaxed);

    if (idle % SPIN_ROUNDS == 0)
        progress_look_around();
    if (!is_far && (!lock_enabled || idle % SPIN_ROUNDS))
        return false;
    sched_yield();
    return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How long the thread may sleep. 0: not now. */
static uint64_t nap_ns(const struct search *s, uint64_t now)
{
    uint64_t most = least((now - s->wait.since_ns) / NAP_SHARE + 1, NAP_MOST_NS), up = now - s->awake_ns;

    if (!s->may_work)
        return most;
    return up < AWAKE_NS ? 0 : least(most, SLOWS * up);
}

static void search_crowded(struct search *s)
{
    uint64_t now = clock_ns(), apart = now - s->last_ns, most;
    bool sleeps;

    if (s->wait.idle == CROWDED_ROUNDS + 1 || apart > COMPUTES_NS) {
        s->wait = (struct wait){.idle = CROWDED_ROUNDS + 1, .since_ns = now};
        s->awake_ns = now;
        s->may_work = false;
    } else if (apart > MAY_WORK_NS) {
        s->may_work = true;
    }
    most = nap_ns(s, now);
    sleeps = s->wait.may_sleep && most;
    if (s->wait.may_sleep && !sleeps)
        yield_is_short(now);
    else
        wait_crowded(&s->wait, most);
    if (sleeps) {
        s->awake_ns = clock_ns();
        s->may_work = false;
    }
}

bool progress_look_again(void)
{
    struct search *s = &search;

    if (++s->wait.idle <= CROWDED_ROUNDS)
        return false;
    if (atomic_load_explicit(&crowded, memory_order_relaxed))
        search_crowded(s);
    else if (!search_roomy(s->wait.idle))
        return false;
    progress_poll();
    s->last_ns = clock_ns();
    return true;
}
