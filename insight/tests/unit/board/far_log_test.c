/* Two boards' collectives are compared one by one, up to the first difference of each object. */
#include "insight/board/far_log.c"
#include "insight/board/finding_list.c"

#include "unit.h"

static struct far_log here, there;
static struct finding_list list_here, list_there;
static int compared, differing;

static bool compare(const struct far_call *one, const struct far_call *two)
{
    compared++;
    assert_int_equal(one->turn, two->turn);
    differing += one->root != two->root;
    return one->root != two->root;
}

static void note(struct far_log *log, uint64_t number, uint64_t turn, int root)
{
    far_log_add(log, &(struct far_call){.number = number, .turn = turn, .root = root});
}

static void start(void)
{
    memset(&here, 0, sizeof here);
    memset(&there, 0, sizeof there);
    compared = differing = 0;
}

static void test_differences(void **state)
{
    (void)state;
    start();
    for (uint64_t turn = 1; turn <= 10; turn++) {
        note(&here, 5, turn, 0);
        note(&here, 6, turn, 0);
    }
    for (uint64_t turn = 1; turn <= 12; turn++) {
        note(&there, 5, turn, turn >= 4);
        note(&there, 6, turn, 0);
        note(&there, 7, turn, 0);
    }
    there.call[0].place.module = finding_list_module(&list_there, "/there");
    there.call[2].place.module = 1;
    finding_list_module(&list_here, "/here");
    far_log_merge(&here, &list_here, &there, &list_there, compare);
    assert_int_equal(differing, 1);
    assert_int_equal(compared, 4 + 10);
    assert_int_equal(here.count, 20 + 2 + 2 + 12); /* and those that only the other one has */
    assert_int_equal(here.call[20].place.module, 2);
    assert_string_equal(list_here.module[1], "/there");
}

/* What ranks of one board were found to differ in is told once, whichever board they are of. */
static void test_reported(void **state)
{
    (void)state;
    start();
    for (uint64_t turn = 1; turn <= 4; turn++) {
        note(&here, 25, turn, 0);
        note(&there, 25, turn, turn != 1);
    }
    far_log_report(&here, 0); /* there was no room */
    far_log_report(&here, 2);
    far_log_report(&there, 3);
    far_log_merge(&here, &list_here, &there, &list_there, compare);
    assert_int_equal(compared, 2);
    assert_int_equal(differing, 1);
    assert_true(here.call[2].is_reported); /* for the next board */
}

static void test_full(void **state)
{
    (void)state;
    start();
    for (uint64_t turn = 1; turn <= FAR_CALLS + 1; turn++)
        note(&there, 15, turn, 0);
    for (uint64_t turn = 1; turn <= FAR_CALLS; turn++)
        note(&here, 15, turn, 0);
    assert_false(here.is_full);
    assert_true(there.is_full);
    far_log_merge(&here, &list_here, &there, &list_there, compare);
    assert_int_equal(compared, FAR_CALLS);
    assert_int_equal(here.count, FAR_CALLS);
    assert_true(here.is_full);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences),
                                              cmocka_unit_test(test_reported), cmocka_unit_test(test_full)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
