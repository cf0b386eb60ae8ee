#include "win/passive.h"

#include "progress/progress.h"
#include "unit.h"

#include <mpi.h>

static struct win_control *control;
static uint64_t waiters; /* when this process slept */
static int sleeps;

static void look_around(void)
{
}

/* Another rank gives the lock back before this process sleeps, and a third one takes it. */
static uint32_t prepare(void)
{
    atomic_exchange_explicit(&control->waiters, 0, memory_order_seq_cst);
    return 0;
}

/* The lock is given back again, and who is among the waiters is woken. */
static void sleep_until_free(uint32_t seen, uint64_t most_ns)
{
    (void)seen;
    (void)most_ns;
    sleeps++;
    waiters = atomic_load_explicit(&control->waiters, memory_order_seq_cst);
    atomic_store_explicit(&control->lock, 0, memory_order_seq_cst);
}

static const struct sleeper sleeper = {look_around, prepare, sleep_until_free, look_around, look_around};

static void lock_that_is_held(int type, MPI_Win win)
{
    waiters = 0;
    sleeps = 0;
    atomic_store_explicit(&control->lock, (uint64_t)8 << LOCK_HOLDER_SHIFT, memory_order_relaxed);
    assert_int_equal(MPI_Win_lock(type, 0, 0, win), MPI_SUCCESS);
    assert_int_equal(sleeps, 1);
    assert_int_equal(waiters, 1);
    assert_int_equal(MPI_Win_unlock(0, win), MPI_SUCCESS);
    assert_int_equal(atomic_load(&control->lock), 0);
}

static void nobody_sleeps_unannounced(void **state)
{
    const struct sleeper *own;
    MPI_Win win;
    void *at;

    (void)state;
    assert_int_equal(MPI_Init(NULL, NULL), MPI_SUCCESS);
    assert_int_equal(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &win), MPI_SUCCESS);
    control = win_find(win)->own_control;
    own = progress_sleeper();
    progress_set_sleeper(&sleeper);
    progress_set_crowd(2, 1);
    lock_that_is_held(MPI_LOCK_EXCLUSIVE, win);
    lock_that_is_held(MPI_LOCK_SHARED, win);
    progress_set_sleeper(own);
    assert_int_equal(MPI_Win_free(&win), MPI_SUCCESS);
    assert_int_equal(MPI_Finalize(), MPI_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_sleeps_unannounced)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
