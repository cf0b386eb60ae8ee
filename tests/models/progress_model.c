/* progress: a thread that sleeps in a wait is woken by what another thread of its process does, by a word that another process stores,
 * and by a reason to stay awake. The core is shared with other programs, so that waits sleep at once. */
#include "progress/progress.c" /* for `shared_until` */

#include "net/network/waker.c" /* for the sleeper of a process without shared memory, which has no fence */
#include "net/shm/arena.h"
#include "net/shm/bell.h"

#include "checker.h"

static struct arena_head head;
static _Atomic bool done;
static _Atomic int word;

static uint32_t prepare(void)
{
    return bell_prepare(&head);
}

static void sleep_until(uint32_t seen, uint64_t most_ns)
{
    bell_sleep(&head, seen, most_ns);
}

static void cancel(void)
{
    bell_cancel(&head);
}

static void wake(void)
{
    bell_wake_threads(&head);
}

static bool is_quiet(void)
{
    return true;
}

static const struct sleeper bell_sleeper = {NULL, prepare, sleep_until, cancel, wake};
static const struct sleeper far_sleeper = {NULL, waker_prepare, waker_sleep, waker_cancel, waker_wake};

static void begin(bool has_membarrier, const struct sleeper *place)
{
    model_has_membarrier(has_membarrier);
    bell_open(&head, false);
    waker.is_quiet = is_quiet;
    progress_set_sleeper(place);
    progress_set_crowd(2, 1);
    share_core(0, UINT64_MAX);
    lock_enabled = true;
}

static void begin_with_membarrier(void)
{
    begin(true, &bell_sleeper);
}

static void begin_with_fences(void)
{
    begin(false, &bell_sleeper);
}

static void begin_far(void)
{
    begin(false, &far_sleeper);
}

static void await_done(void)
{
    struct wait w = WAIT_START;

    while (!atomic_load_explicit(&done, memory_order_acquire))
        progress_wait(&w);
}

static void tell(void)
{
    atomic_store_explicit(&done, true, memory_order_release);
    progress_tell();
}

static void await_awake(void)
{
    struct wait w = WAIT_START;

    while (!atomic_load_explicit(&awake, memory_order_relaxed))
        progress_wait(&w);
}

static void stay_awake(void)
{
    progress_stay_awake(1);
}

static void rest_until_done(void)
{
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        progress_rest(&done);
}

/* As progress_thread_stop. */
static void stop_rest(void)
{
    atomic_store_explicit(&done, true, memory_order_relaxed);
    progress_wake();
}

static void rest_until_awake(void)
{
    while (!atomic_load_explicit(&awake, memory_order_relaxed))
        progress_rest(&done);
}

static void await_word(void)
{
    struct wait w = WAIT_START;

    while (!atomic_load_explicit(&word, memory_order_acquire))
        progress_wait_word(&w, WORD_SLEEPS);
    progress_wait_again(&w);
}

/* A wait for a word does not look at the news. */
static void await_word_awake(void)
{
    struct wait w = WAIT_START;

    while (!atomic_load_explicit(&awake, memory_order_relaxed))
        progress_wait_word(&w, WORD_SLEEPS);
    progress_wait_again(&w);
}

static int poll_nothing(bool all)
{
    (void)all;
    return 0;
}

static void begin_bare(void)
{
    begin(false, NULL);
    waker.is_quiet = NULL;
}

/* As where a process meets those of other hosts. */
static void open_and_tell(void)
{
    waker.is_quiet = is_quiet;
    progress_set_sleeper(&far_sleeper);
    progress_add_poller(poll_nothing);
    tell();
}

static void store_word(void)
{
    atomic_store_explicit(&word, 1, memory_order_release);
    bell_nudge(&head);
}

const struct scenario scenarios[] = {
    {"a thread tells, membarrier", begin_with_membarrier, {await_done, tell}},
    {"a thread tells, fences", begin_with_fences, {await_done, tell}},
    {"a reason to stay awake", begin_with_fences, {await_awake, stay_awake}},
    {"the progress thread ends", begin_with_fences, {rest_until_done, stop_rest}},
    {"the progress thread stays awake", begin_with_fences, {rest_until_awake, stay_awake}},
    {"a process stores a word", begin_with_fences, {await_word, store_word}},
    {"a thread tells, far", begin_far, {await_done, tell}},
    {"a reason to stay awake, far", begin_far, {await_awake, stay_awake}},
    {"the progress thread ends, far", begin_far, {rest_until_done, stop_rest}},
    {"the progress thread stays awake, far", begin_far, {rest_until_awake, stay_awake}},
    {"a reason to stay awake, word, far", begin_far, {await_word_awake, stay_awake}},
    {"a sleeper is set", begin_bare, {await_done, open_and_tell}},
    {0}};
const char *const weakened_files[] = {"progress/progress.c", "net/network/waker.c", NULL};
#define CLEARED "the system clears the memory that it points to"
const struct spare spares[] = {{"progress.c", "work_word", "load &work", CLEARED},
                               {"progress.c", "progress_set_work", "store &work", CLEARED},
                               {0}};
