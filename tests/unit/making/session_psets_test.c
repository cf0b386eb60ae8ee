/* Process sets where the launcher cannot be asked. */
#define boot_find_sets pretended_find_sets
#include "making/session_psets.c"
#include "unit.h"

static bool fails;
static int askings;

int pretended_find_sets(struct boot_set **sets, int *count)
{
    static char name[] = "app://ours";
    static int process[] = {0};
    static struct boot_set set = {.name = name, .process = process, .size = 1};

    askings++;
    *sets = fails ? NULL : &set;
    *count = !fails;
    return fails ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static void each_question_fails(void)
{
    int count = 7, length = 0;
    struct info *info = NULL;
    struct group *group = NULL;

    assert_int_equal(session_count_psets(NULL, NULL, &count), MPI_ERR_NO_MEM);
    assert_int_equal(session_get_nth_pset(NULL, NULL, 0, &length, NULL), MPI_ERR_NO_MEM);
    assert_int_equal(session_get_pset_info(NULL, "mpi://WORLD", &info), MPI_ERR_NO_MEM);
    assert_int_equal(session_group_from_pset(NULL, "mpi://SELF", &group), MPI_ERR_NO_MEM);
    assert_int_equal(session_pset_identity("mpi://SELF"), -1);
    assert_int_equal(count, 7);
    assert_null(info);
    assert_null(group);
}

/* An answer that did not come is asked for again; one that came is kept. */
static void the_launcher_is_asked_until_it_answers(void **state)
{
    int count, set;

    (void)state;
    fails = true;
    each_question_fails();
    assert_int_equal(askings, 5);
    fails = false;
    assert_int_equal(session_count_psets(NULL, NULL, &count), MPI_SUCCESS);
    assert_int_equal(count, 3);
    assert_int_equal(find_pset("app://ours", &set), MPI_SUCCESS);
    assert_int_equal(set, 2);
    assert_int_equal(find_pset("app://OURS", &set), MPI_SUCCESS);
    assert_int_equal(set, -1);
    assert_int_equal(find_pset("mpi://world", &set), MPI_SUCCESS);
    assert_int_equal(set, 0);
    assert_int_equal(askings, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_launcher_is_asked_until_it_answers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
