#include "win/epoch.h"

#include "metric/metric.h"
#include "progress/progress.h"
#include "unit.h"

#include <mpi.h>

static MPI_Win win;
static MPI_Group self;
static struct win_control *control;

static int open_window(void **state)
{
    void *at;

    (void)state;
    MPI_Init(NULL, NULL);
    MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &win);
    MPI_Win_get_group(win, &self);
    control = win_find(win)->own_control;
    return 0;
}

static int close_window(void **state)
{
    (void)state;
    MPI_Group_free(&self);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}

static uint64_t own_messages(void)
{
    return atomic_load(&metric_library.at[METRIC_UNEXPECTED_MESSAGES]) +
           atomic_load(&metric_library.at[METRIC_POSTED]);
}

static void epochs_need_no_messages(void **state)
{
    uint64_t before = own_messages();
    int64_t one = 1;
    int flag;

    (void)state;
    assert_int_equal(MPI_Win_post(self, 0, win), MPI_SUCCESS);
    assert_int_equal(own_messages(), before);
    assert_int_equal(MPI_Win_start(self, 0, win), MPI_SUCCESS);
    assert_int_equal(MPI_Put(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win), MPI_SUCCESS);
    assert_int_equal(MPI_Win_test(win, &flag), MPI_SUCCESS);
    assert_false(flag);
    assert_int_equal(MPI_Win_complete(win), MPI_SUCCESS);
    assert_int_equal(own_messages(), before);
    assert_int_equal(MPI_Win_wait(win), MPI_SUCCESS);
    assert_int_equal(own_messages(), before);
}

/* What another rank does once this process has announced its sleep, before it looks a last time, or once it sleeps. */
static void (*when_announced)(void), (*when_asleep)(void);
static int sleeps;

static void nothing(void)
{
}

static void post(void)
{
    atomic_fetch_or(&control->posted[0], 1);
}

static void complete(void)
{
    atomic_fetch_add(&control->completed, 1);
}

static uint32_t prepare(void)
{
    when_announced();
    return 0;
}

static void sleep_now(uint32_t seen, uint64_t most_ns)
{
    (void)seen;
    assert_int_equal(most_ns, 0);
    sleeps++;
    when_asleep();
}

static const struct sleeper sleeper = {nothing, prepare, sleep_now, nothing, nothing};

static void wait_for(void (*announced)(void), void (*asleep)(void), int (*call)(MPI_Win), int expected)
{
    const struct sleeper *own = progress_sleeper();

    when_announced = announced;
    when_asleep = asleep;
    sleeps = 0;
    progress_set_sleeper(&sleeper);
    progress_set_crowd(1, 1);
    assert_int_equal(call(win), MPI_SUCCESS);
    progress_set_sleeper(own);
    assert_int_equal(sleeps, expected);
}

static void who_sleeps_has_looked(void **state)
{
    (void)state;
    for (int is_asleep = 0; is_asleep < 2; is_asleep++) {
        assert_int_equal(MPI_Win_start(self, 0, win), MPI_SUCCESS);
        wait_for(is_asleep ? nothing : post, post, MPI_Win_complete, is_asleep);
        assert_int_equal(atomic_load(&control->posted[0]), 0);
        atomic_fetch_sub(&control->completed, 1); /* this rank has not posted */
        assert_int_equal(MPI_Win_post(self, MPI_MODE_NOCHECK, win), MPI_SUCCESS);
        wait_for(is_asleep ? nothing : complete, complete, MPI_Win_wait, is_asleep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(epochs_need_no_messages),
                                       cmocka_unit_test(who_sleeps_has_looked)};

    return cmocka_run_group_tests(tests, open_window, close_window);
}
