#include "progress/progress.h"

#include "base/lock.h"
#include "base/thread.h"
#include "hint/hint.h"
#include "plain/clock.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LONG = 1000, /* rounds after which a crowded wait has slept */
    TRIES = 6    /* of what other programs may disturb */
};

static int polls, polls_of_all, events, looked, prepared, slept, cancelled, woken;
static int late;         /* events that come while sleep is announced */
static uint64_t longest; /* of the last sleep */
static int yields_here;
static uint64_t yield_takes; /* ns, in place of the system's yield; 0: that */
static const uint64_t WORKS_NEVER = UINT64_MAX;
static uint64_t work_share = UINT64_MAX; /* the part of such a yield that ranks of this host work */
static _Atomic uint64_t work_here;

static int poll_fake(bool all)
{
    int now = events;

    polls++;
    polls_of_all += all;
    events = 0;
    return now;
}

static void look_fake(void)
{
    looked++;
}

static uint32_t prepare_fake(void)
{
    prepared++;
    events += late;
    return 7;
}

static void sleep_fake(uint32_t seen, uint64_t most_ns)
{
    assert_int_equal(seen, 7);
    longest = most_ns;
    slept++;
}

static void cancel_fake(void)
{
    cancelled++;
}

static void wake_fake(void)
{
    woken++;
}

static const struct sleeper sleeper = {look_fake, prepare_fake, sleep_fake, cancel_fake, wake_fake};

static int set_up(void **state)
{
    (void)state;
    progress_set_sleeper(&sleeper);
    progress_set_crowd(2, 1);
    polls = polls_of_all = events = looked = prepared = slept = cancelled = woken = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    progress_set_sleeper(NULL);
    assert_int_equal(lock_mine.depth, 0); /* each section that began has ended */
    return 0;
}

/* A wait whose next round would sleep. */
static struct wait about_to_sleep(void)
{
    struct wait w = WAIT_START, before = w;

    for (int i = 0; i < LONG && !prepared; i++) {
        before = w;
        progress_wait(&w);
    }
    assert_int_equal(prepared, 1);
    prepared = slept = 0;
    return before;
}

static void an_idle_wait_sleeps(void **state)
{
    struct wait w = about_to_sleep();

    (void)state;
    progress_wait(&w);
    assert_int_equal(slept, 1);
    assert_int_equal(cancelled, 0);
}

static void an_event_begins_the_wait_anew(void **state)
{
    struct wait w = about_to_sleep();

    (void)state;
    events = 1;
    progress_wait(&w);
    assert_int_equal(prepared, 0);
    assert_int_equal(w.idle, 0);
}

/* A part of a message has come: the rest may follow soon. */
static void motion_prevents_sleep(void **state)
{
    struct wait w = about_to_sleep();

    (void)state;
    progress_note_motion();
    progress_wait(&w);
    assert_int_equal(prepared, 0);
    for (int i = 0; i < LONG && !slept; i++)
        progress_wait(&w);
    assert_int_equal(slept, 1);
}

/* Another thread received what this one waits for, after it looked and before it sleeps. */
static void news_of_other_threads_prevent_sleep(void **state)
{
    struct wait w = about_to_sleep();

    (void)state;
    progress_tell();
    progress_wait(&w);
    assert_int_equal(prepared, 1);
    assert_int_equal(slept, 0);
    assert_int_equal(cancelled, 1);
    progress_wait(&w); /* it has looked since */
    assert_int_equal(slept, 1);
}

static void a_queue_prevents_sleep(void **state)
{
    struct wait w = about_to_sleep();

    (void)state;
    progress_stay_awake(1);
    progress_wait(&w);
    progress_wait(&w);
    assert_int_equal(prepared, 0);
    progress_stay_awake(-1);
    progress_wait(&w);
    assert_int_equal(slept, 1);
}

/* A wait for a word, after so many rounds. */
static struct wait word_rounds(int rounds, enum word_wait how)
{
    struct wait w = WAIT_START;

    for (int i = 0; i < rounds && !prepared; i++)
        progress_wait_word(&w, how);
    return w;
}

static void a_wait_for_a_word_announces_sleep_and_then_sleeps(void **state)
{
    struct wait w;

    (void)state;
    progress_set_crowd(1, 1);
    w = word_rounds(LONG, WORD_SLEEPS_ALONE);
    assert_int_equal(prepared, 1);
    assert_int_equal(slept, 0); /* the waiter looks now */
    progress_wait_word(&w, WORD_SLEEPS_ALONE);
    assert_int_equal(slept, 1);
    assert_int_equal(longest, 0);
    progress_wait_again(&w);
    assert_int_equal(cancelled, 0);
}

static void a_word_that_is_found_withdraws_the_announcement(void **state)
{
    struct wait w;

    (void)state;
    progress_set_crowd(1, 1);
    w = word_rounds(LONG, WORD_SLEEPS_ALONE);
    progress_wait_again(&w);
    assert_int_equal(cancelled, 1);
    progress_wait_word(&w, WORD_SLEEPS_ALONE);
    assert_int_equal(slept, 0);
}

/* Ranks without a core of their own nap, unless they say that they sleep, and so does who waits for a word that nobody wakes it for. */
static void a_wait_for_a_word_naps_where_nobody_should_wake_it(void **state)
{
    struct wait w;

    (void)state;
    word_rounds(LONG / 10, WORD_SLEEPS_ALONE);
    assert_int_equal(prepared, 0);
    w = word_rounds(LONG / 10, WORD_SLEEPS);
    assert_int_equal(prepared, 1);
    progress_wait_again(&w);
    prepared = 0;
    progress_set_crowd(1, 1);
    word_rounds(LONG, WORD_NAPS);
    assert_int_equal(prepared, 0);
    assert_true(polls > 0);
}

static void a_queue_or_an_event_prevents_the_sleep_of_a_word(void **state)
{
    struct wait w;

    (void)state;
    progress_set_crowd(1, 1);
    progress_stay_awake(1);
    word_rounds(LONG, WORD_SLEEPS_ALONE);
    progress_stay_awake(-1);
    assert_int_equal(prepared, 0);
    late = 1;
    w = word_rounds(LONG, WORD_SLEEPS_ALONE);
    late = events = 0;
    assert_int_equal(cancelled, 1);
    progress_wait_word(&w, WORD_SLEEPS_ALONE);
    assert_int_equal(slept, 0);
}

/* The thread that tells sees the sleeper, which counts itself before it looks. */
static void wake_from_sleep(uint32_t seen, uint64_t most_ns)
{
    (void)seen;
    (void)most_ns;
    progress_tell();
    slept++;
}

static void news_wake_sleepers(void **state)
{
    static const struct sleeper woken_sleeper = {look_fake, prepare_fake, wake_from_sleep, cancel_fake,
                                                 wake_fake};
    struct wait w = about_to_sleep();

    (void)state;
    progress_set_sleeper(&woken_sleeper);
    progress_wait(&w);
    assert_int_equal(slept, 1);
    assert_int_equal(woken, 1);
    progress_tell(); /* nobody sleeps now */
    assert_int_equal(woken, 1);
}

/* A thread without a wait of its own sleeps, and then polls for all. */
static void a_rest_sleeps_and_polls(void **state)
{
    _Atomic bool is_over = false;

    (void)state;
    assert_true(progress_rest(&is_over));
    assert_int_equal(slept, 1);
    assert_int_equal(longest, 0);
    assert_int_equal(cancelled, 0);
    assert_int_equal(polls, 2);
    assert_int_equal(polls_of_all, 2);
}

static void a_rest_ends_at_once_when_something_happens(void **state)
{
    _Atomic bool is_over = false;

    (void)state;
    events = 1;
    progress_rest(&is_over);
    assert_int_equal(prepared, 1);
    assert_int_equal(slept, 0);
    assert_int_equal(cancelled, 1);
    is_over = true;
    progress_rest(&is_over);
    assert_int_equal(prepared, 2);
    assert_int_equal(slept, 0);
    assert_int_equal(cancelled, 2);
    is_over = false;
    progress_stay_awake(1);
    progress_rest(&is_over);
    progress_stay_awake(-1);
    assert_int_equal(prepared, 2);
    assert_int_equal(slept, 0);
    progress_rest(&is_over);
    assert_int_equal(slept, 1);
}

/* What a resting thread must see, is seen: who adds a reason not to sleep wakes it. */
static void reasons_wake_who_rests(uint32_t seen, uint64_t most_ns)
{
    (void)seen;
    (void)most_ns;
    slept++;
    progress_stay_awake(1);
    progress_stay_awake(-1);
}

static void a_queue_wakes_who_rests(void **state)
{
    static const struct sleeper told = {look_fake, prepare_fake, reasons_wake_who_rests, cancel_fake,
                                        wake_fake};
    _Atomic bool is_over = false;

    (void)state;
    progress_set_sleeper(&told);
    progress_rest(&is_over);
    assert_int_equal(slept, 1);
    assert_int_equal(woken, 1);
    progress_stay_awake(1); /* nobody rests now */
    progress_stay_awake(-1);
    assert_int_equal(woken, 1);
}

static void rests_tell_whether_others_wait(void **state)
{
    _Atomic bool is_over = true;
    struct wait w = WAIT_START;
    uint32_t before = progress_rounds();

    (void)state;
    assert_true(progress_rest(&is_over));
    assert_int_equal(progress_rounds(), before);
    progress_wait(&w);
    assert_int_not_equal(progress_rounds(), before);
    events = 1;
    before = progress_rounds();
    progress_wait(&w); /* a round that found something does not count */
    assert_int_equal(progress_rounds(), before);
    assert_int_equal(w.idle, 0);
}

static void wait_until_asleep(struct wait *w, int ranks, int cores)
{
    uint64_t start = clock_ns();

    progress_set_crowd(ranks, cores);
    while (!slept && clock_ns() - start < 10000000000u)
        progress_wait(w);
}

/* With a core of its own a wait spins for a while before it sleeps. */
static void a_roomy_wait_sleeps_later(void **state)
{
    struct wait w = WAIT_START;

    (void)state;
    wait_until_asleep(&w, 1, 1);
    assert_int_equal(slept, 1);
    assert_int_equal(longest, 0);
    assert_true(w.idle > 64);
    assert_int_equal(polls_of_all, prepared);
}

/* Starts a process that computes on this thread's core, the only one of both. */
static pid_t share_core(cpu_set_t *all)
{
    cpu_set_t one;
    pid_t other;

    assert_int_equal(sched_getaffinity(0, sizeof *all, all), 0);
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    other = fork();
    while (!other)
        thread_relax();
    usleep(10000);
    return other;
}

static void unshare_core(pid_t other, const cpu_set_t *all)
{
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    sched_setaffinity(0, sizeof *all, all);
    usleep(150000); /* it is not taken for shared any more */
}

/* It leaves its core to others, who may be what it waits for. */
static void a_wait_that_is_woken_in_vain_naps(void **state)
{
    struct wait w = WAIT_START;
    uint64_t start = clock_ns();
    int before;

    (void)state;
    while (clock_ns() - start < 150 * 1000 * 1000)
        progress_wait(&w);
    before = slept;
    while (clock_ns() - start < 350 * 1000 * 1000)
        progress_wait(&w);
    assert_in_range(slept - before, 1, 250);
}

/* Where nobody would wake it, a wait naps for moments only. */
static void naps_without_a_sleeper_are_short(void **state)
{
    uint64_t start = clock_ns();
    struct wait w = WAIT_START;

    (void)state;
    progress_set_sleeper(NULL);
    progress_set_crowd(2, 1);
    while (w.idle < LONG / 20)
        progress_wait(&w);
    assert_in_range(clock_ns() - start, 0, 5000000000);
}

/* A wait for other hosts yields, and so does one among more ranks than cores. Where somebody computes on its core it does not
 * get that back soon, unless it sleeps. */
static void a_wait_on_a_shared_core_sleeps_soon(void **state)
{
    struct wait far = WAIT_START, crowded = WAIT_START;
    cpu_set_t all;
    pid_t other = share_core(&all);

    (void)state;
    progress_set_far(true);
    wait_until_asleep(&far, 1, 1);
    progress_set_far(false);
    usleep(150000);
    slept = 0;
    wait_until_asleep(&crowded, 2, 1);
    unshare_core(other, &all);
    assert_int_equal(slept, 1);
    assert_in_range(far.idle, 1, 32);     /* was 64 at least: a fifth of a second */
    assert_in_range(crowded.idle, 1, 16); /* was 26 */
}

/* A wait that spins loses its core time and again there, and sleeps long before the time that it may spin is over. */
static void a_spinning_wait_on_a_shared_core_sleeps_soon(void **state)
{
    struct wait w = WAIT_START;
    cpu_set_t all;
    uint64_t start;
    pid_t other;

    (void)state;
    assert_int_equal(hint_process_write(HINT_SPIN_TIME, "2s"), HINT_ACCEPTED);
    other = share_core(&all);
    start = clock_ns();
    wait_until_asleep(&w, 1, 1);
    start = clock_ns() - start;
    unshare_core(other, &all);
    assert_int_equal(slept, 1);
    assert_in_range(start, 0, 1000000000);
    hint_process_write(HINT_SPIN_TIME, "4ms");
}

/* In place of the C library's. */
int sched_yield(void)
{
    uint64_t start = clock_ns();

    yields_here++;
    if (!yield_takes)
        return (int)syscall(SYS_sched_yield);
    while (clock_ns() - start < yield_takes)
        thread_relax();
    atomic_fetch_add(&work_here, (clock_ns() - start) / work_share); /* also of the time without a core */
    return 0;
}

/* How often a wait for messages from other hosts yields in so many rounds, after others that do as well. */
static int yields_in_rounds(int rounds, uint64_t each_takes)
{
    struct wait before = WAIT_START, w = WAIT_START;
    int yields;

    yield_takes = each_takes;
    progress_set_crowd(1, 2);
    progress_set_far(true);
    for (int i = 0; i < 50; i++)
        progress_wait(&before);
    yields_here = 0;
    for (int i = 0; i < rounds; i++)
        progress_wait(&w);
    yields = yields_here;
    progress_set_far(false);
    yield_takes = 0;
    return yields;
}

static uint64_t clock_takes(void)
{
    uint64_t start = clock_ns();

    for (int i = 0; i < 98; i++)
        clock_ns();
    return (clock_ns() - start) / 100;
}

/* Polls of other hosts are system calls, and so are yields. */
static void a_wait_alone_on_its_core_yields_rarely(void **state)
{
    int fewest = 60;

    (void)state;
    if (clock_takes() > 200) /* as under qemu-user: no yield seems short then */
        skip();
    for (int i = 0; i < TRIES && fewest > 20; i++) {
        int yields = yields_in_rounds(60, 1);

        fewest = yields < fewest ? yields : fewest;
    }
    assert_in_range(fewest, 60 / 8, 20);
    assert_int_equal(yields_in_rounds(60, 5000), 60); /* somebody was there */
}

/* How many rounds a wait takes until it sleeps, 50 ms after one that yields took long. */
static uint32_t rounds_after_a_shared_core(void)
{
    struct wait shared = WAIT_START, later = WAIT_START;

    yield_takes = 2000000;
    slept = 0;
    wait_until_asleep(&shared, 2, 1);
    assert_in_range(shared.idle, 1, 8);
    yield_takes = 1000;
    usleep(50000);
    slept = 0;
    wait_until_asleep(&later, 2, 1);
    yield_takes = 0;
    return later.idle;
}

/* Processes that start compute, too, and soon do no more. */
static void a_core_that_was_shared_is_tried_again_soon(void **state)
{
    uint32_t rounds = 0;

    (void)state;
    for (int i = 0; i < TRIES && rounds < 24; i++) {
        usleep(150000); /* it is not taken for shared any more */
        rounds = rounds_after_a_shared_core();
    }
    assert_in_range(rounds, 24, 64);
}

/* Each try costs milliseconds where somebody computes for long. */
static void a_core_that_stays_shared_is_tried_ever_less(void **state)
{
    uint64_t start = clock_ns();

    (void)state;
    yield_takes = 2000000;
    yields_here = 0;
    while (clock_ns() - start < 400000000) {
        struct wait w = WAIT_START;

        slept = 0;
        wait_until_asleep(&w, 2, 1);
    }
    yield_takes = 0;
    usleep(150000);                      /* it is not taken for shared any more */
    assert_in_range(yields_here, 2, 20); /* 40 if each try were followed by 8 ms */
}

/* How many rounds a wait takes until it sleeps, where each yield takes so long and `share` of that is work. The most of several
 * waits: one that loses its core to another program, too, rightly sleeps sooner. */
static uint32_t most_rounds(int share, uint32_t enough)
{
    uint32_t most = 0;

    work_share = share;
    for (int i = 0; i < TRIES && most < enough; i++) {
        struct wait w = WAIT_START;

        usleep(150000); /* it is not taken for shared any more */
        slept = 0;
        wait_until_asleep(&w, 2, 1);
        most = w.idle > most ? w.idle : most;
    }
    return most;
}

/* The ranks of this host compute or copy while one yields to them: to sleep would gain nothing. */
static void ranks_that_work_are_yielded_to(void **state)
{
    (void)state;
    progress_set_work(&work_here);
    yield_takes = 2000000;
    assert_in_range(most_rounds(3, 24), 24, 64); /* a third of the time is work */
    assert_in_range(most_rounds(5, 24), 1, 8);
    yield_takes = 0;
    work_share = WORKS_NEVER;
    progress_set_work(NULL);
    usleep(150000); /* it is not taken for shared any more */
}

/* What a thread that begins to wait has told of its work since the last wait, in us. */
static uint64_t told_work(uint64_t computes_ns, unsigned rests_us)
{
    struct wait w = WAIT_START;
    uint64_t start, before;

    while (w.idle < 4)
        progress_wait(&w);
    before = atomic_load(&work_here);
    start = clock_thread_ns();
    while (clock_thread_ns() - start < computes_ns)
        thread_relax();
    usleep(rests_us);
    w = (struct wait)WAIT_START;
    while (w.idle < 4)
        progress_wait(&w);
    return (atomic_load(&work_here) - before) / 1000;
}

/* The least of several: a busy machine only adds to it. */
static uint64_t least_told_work(uint64_t computes_ns, unsigned rests_us)
{
    uint64_t least = told_work(computes_ns, rests_us);

    for (int i = 1; i < TRIES; i++) {
        uint64_t told = told_work(computes_ns, rests_us);

        least = told < least ? told : least;
    }
    return least;
}

static void who_begins_to_wait_tells_how_long_it_has_worked(void **state)
{
    (void)state;
    progress_set_crowd(2, 1);
    progress_set_work(&work_here);
    told_work(1000000, 0);
    assert_in_range(least_told_work(3000000, 0), 3000, 3500);
    assert_in_range(least_told_work(1000000, 20000), 1000, 1500); /* who rests does not work */
    assert_in_range(least_told_work(10000, 0), 0, 90);            /* nor is so little worth it */
    progress_set_work(NULL);
    assert_in_range(told_work(1000000, 0), 0, 0);
}

static void begin_search(void)
{
    events = 1;
    progress_poll();
}

/* Makes calls that find nothing, one right after the other, until one sleeps or there were `most`; returns how many. 0: somebody
 * computes on this core, where a search soon sleeps. */
static int search_until_asleep(int most)
{
    int looks = 0;

    while (looks < most && !slept) {
        uint64_t start = clock_ns();

        progress_look_again();
        looks++;
        if (!slept && clock_ns() - start > 400000)
            return 0;
    }
    return looks;
}

/* The same on a core of its own, after a search that ended, and until one sleeps. */
static int search_alone(int most)
{
    int looks = 0;

    for (int i = 0; i < 20 && looks == 0; i++) {
        usleep(110000); /* a core is taken for shared that long */
        slept = 0;
        begin_search();
        looks = search_until_asleep(most);
    }
    if (looks == 0)
        skip();
    return looks;
}

static void a_search_without_end_naps(void **state)
{
    (void)state;
    begin_search();
    assert_false(progress_look_again());
    assert_int_equal(slept, 0);
    assert_in_range(search_alone(LONG), 10, LONG - 1);
    assert_in_range(longest, 1, 1000 * 1000);
    assert_int_equal(cancelled, prepared - slept);
    assert_in_range(search_alone(LONG), 10, LONG - 1);
}

/* An event elsewhere, or in the round's own poll, may be what it looks for. */
static void a_search_that_finds_begins_anew(void **state)
{
    (void)state;
    begin_search();
    search_until_asleep(LONG);
    search_alone(10);
    assert_int_equal(slept, 0);
}

static void who_computes_between_looks_does_not_nap(void **state)
{
    (void)state;
    begin_search();
    for (int i = 0; i < LONG; i++) {
        uint64_t start = clock_ns();

        while (clock_ns() - start < 5000)
            ;
        progress_look_again();
    }
    assert_int_equal(slept, 0);
}

/* Short work between calls, as of a program that looks for messages after each of many steps, is not held up for long by each. */
static void who_works_a_little_between_looks_naps_little(void **state)
{
    enum {
        STEPS = 20000
    };
    uint64_t start;

    (void)state;
    begin_search();
    for (int i = 0; i < STEPS; i++) {
        start = clock_ns();
        while (clock_ns() - start < 1000)
            ;
        progress_look_again();
    }
    assert_in_range(slept, 0, STEPS / 10);
}

static void a_search_with_a_core_goes_on(void **state)
{
    int yields = 0;

    (void)state;
    progress_set_crowd(1, 1);
    for (int i = 0; i < LONG; i++)
        yields += progress_look_again();
    assert_in_range(yields, 1, LONG / 10);
    assert_int_equal(prepared, 0);
    assert_in_range(looked, 1, LONG / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_idle_wait_sleeps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_event_begins_the_wait_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(motion_prevents_sleep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_alone_on_its_core_yields_rarely, set_up, tear_down),
        cmocka_unit_test_setup_teardown(news_of_other_threads_prevent_sleep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_queue_prevents_sleep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_for_a_word_announces_sleep_and_then_sleeps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_word_that_is_found_withdraws_the_announcement, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_for_a_word_naps_where_nobody_should_wake_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_queue_or_an_event_prevents_the_sleep_of_a_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(news_wake_sleepers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rest_sleeps_and_polls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rest_ends_at_once_when_something_happens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_queue_wakes_who_rests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rests_tell_whether_others_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_roomy_wait_sleeps_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_that_is_woken_in_vain_naps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(naps_without_a_sleeper_are_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_on_a_shared_core_sleeps_soon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_spinning_wait_on_a_shared_core_sleeps_soon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_core_that_was_shared_is_tried_again_soon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_core_that_stays_shared_is_tried_ever_less, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranks_that_work_are_yielded_to, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_begins_to_wait_tells_how_long_it_has_worked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_search_without_end_naps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_search_that_finds_begins_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_computes_between_looks_does_not_nap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_works_a_little_between_looks_naps_little, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_search_with_a_core_goes_on, set_up, tear_down),
    };

    lock_enable(); /* there is no news below MPI_THREAD_MULTIPLE */
    progress_add_poller(poll_fake);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
