/* Sleeping where messages may come from other hosts, and no other place to sleep is there. */
#include "net/network/waker.h"

#include "plain/clock.h"
#include "progress/progress.h"
#include "unit.h"

#include <mpi.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    LONG_MS = 20000,
    SHORT_MS = 30
};

static int provider;
static bool is_quiet = true;

static bool look(void)
{
    return is_quiet;
}

static int set_up(void **state)
{
    (void)state;
    provider = eventfd(0, EFD_CLOEXEC);
    is_quiet = true;
    return waker_open(provider, look);
}

static int tear_down(void **state)
{
    (void)state;
    waker_close();
    return close(provider);
}

/* Sleeps for that long at most; returns for how long it did. */
static uint64_t sleep_ms(uint64_t most)
{
    const struct sleeper *place = progress_sleeper();
    uint64_t begin = clock_ns();

    place->sleep(place->prepare(), most * 1000000);
    return (clock_ns() - begin) / 1000000;
}

static void sleep_ends_by_itself(void **state)
{
    (void)state;
    assert_in_range(sleep_ms(SHORT_MS), SHORT_MS, LONG_MS);
}

static void what_has_arrived_keeps_awake(void **state)
{
    (void)state;
    is_quiet = false;
    assert_true(sleep_ms(LONG_MS) < LONG_MS / 2);
}

static void *write_soon(void *unused)
{
    uint64_t one = 1;

    usleep(SHORT_MS * 1000);
    assert_int_equal(write(provider, &one, sizeof one), sizeof one);
    return unused;
}

static void the_descriptor_wakes(void **state)
{
    pthread_t writer;

    (void)state;
    assert_int_equal(pthread_create(&writer, NULL, write_soon, NULL), 0);
    assert_in_range(sleep_ms(LONG_MS), SHORT_MS / 2, LONG_MS / 2);
    pthread_join(writer, NULL);
}

static void *wake_soon(void *place)
{
    usleep(SHORT_MS * 1000);
    ((const struct sleeper *)place)->wake();
    return NULL;
}

static void a_thread_wakes(void **state)
{
    pthread_t other;

    (void)state;
    assert_int_equal(pthread_create(&other, NULL, wake_soon, (void *)(uintptr_t)progress_sleeper()), 0);
    assert_in_range(sleep_ms(LONG_MS), SHORT_MS / 2, LONG_MS / 2);
    pthread_join(other, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sleep_ends_by_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_arrived_keeps_awake, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_descriptor_wakes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_wakes, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
