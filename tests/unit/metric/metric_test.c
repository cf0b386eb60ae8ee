#include "metric/metric.h"

#include "unit.h"

#include <mpi.h>
#include <string.h>

static void sums_have_every_copy(void **state)
{
    (void)state;
    for (int i = 0; i < METRIC_LANES; i++)
        metric_add(&metric_lane[i].at[METRIC_PUTS], 1);
    for (int i = 0; i < THREAD_STRIPES; i++)
        metric_add(&metric_stripe[i].at[METRIC_PUTS], 100);
    metric_add(&metric_library.at[METRIC_PUTS], 5000);
    assert_int_equal(metric_sum(METRIC_PUTS), METRIC_LANES + 100 * THREAD_STRIPES);
    assert_int_equal(metric_sum(METRIC_PUTS + 1), 0);
    metric_count(METRIC_PUTS, 7);
    assert_int_equal(metric_sum(METRIC_PUTS), METRIC_LANES + 100 * THREAD_STRIPES + 7);
}

static void what_is_frequent_is_counted_while_watched(void **state)
{
    (void)state;
    metric_count_frequent(METRIC_GETS, 3);
    assert_int_equal(metric_sum(METRIC_GETS), 0);
    atomic_store(&metric_watched, METRIC_WATCH_WAIT | METRIC_WATCH_QUEUES);
    metric_count_frequent(METRIC_GETS, 3);
    assert_int_equal(metric_sum(METRIC_GETS), 0);
    atomic_store(&metric_watched, METRIC_WATCH_FREQUENT);
    assert_false(metric_watches_waits());
    metric_count_frequent(METRIC_GETS, 3);
    assert_int_equal(metric_sum(METRIC_GETS), 3);
    atomic_store(&metric_watched, METRIC_WATCH_WAIT);
    assert_true(metric_watches_waits());
    atomic_store(&metric_watched, 0);
}

static int changes;
static void count_change(void)
{
    changes++;
}

static void queues_are_watched_when_it_is_asked_for(void **state)
{
    (void)state;
    metric_queue_changed(); /* nobody is there */
    atomic_store(&metric_queue_watcher, count_change);
    metric_tell_queue();
    assert_int_equal(changes, 0);
    atomic_store(&metric_watched, METRIC_WATCH_QUEUES);
    metric_tell_queue();
    assert_int_equal(changes, 1);
    atomic_store(&metric_watched, 0);
}

/* One row for what a name and a class say, and every word has its row. */
static void rows_are_told_apart(void **state)
{
    bool shown[METRIC_COUNT] = {false};

    (void)state;
    for (int i = 0; i < metric_rows(); i++) {
        const struct metric_row *a = &metric_table[i];

        shown[a->metric] = true;
        assert_int_equal(a->bind == MPI_T_BIND_MPI_COMM, !strncmp(a->name, "inkling_comm_", 13));
        for (int j = 0; j < i; j++)
            assert_false(a->class == metric_table[j].class &&
                         (a->metric == metric_table[j].metric || !strcmp(a->name, metric_table[j].name)));
    }
    assert_null(metric_table[metric_rows()].name);
    for (int m = 0; m < METRIC_COUNT; m++)
        assert_true(shown[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_every_copy),
        cmocka_unit_test(what_is_frequent_is_counted_while_watched),
        cmocka_unit_test(queues_are_watched_when_it_is_asked_for),
        cmocka_unit_test(rows_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
