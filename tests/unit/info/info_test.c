#include "info/info.h"

#include "plain/fail.h"

#include "unit.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct info *fresh(void)
{
    struct info *info = NULL;

    assert_int_equal(info_new(&info), MPI_SUCCESS);
    return info;
}

static void value_is(struct info *info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL + 1];
    size_t needed = 0;
    int found = -1;

    assert_int_equal(info_get(info, key, value, sizeof value, &needed, &found), MPI_SUCCESS);
    assert_int_equal(found, expected != NULL);
    if (expected) {
        assert_string_equal(value, expected);
        assert_int_equal(needed, strlen(expected) + 1);
    }
}

static void key_is(struct info *info, int n, const char *expected)
{
    char key[MPI_MAX_INFO_KEY];

    assert_int_equal(info_nth_key(info, n, key), MPI_SUCCESS);
    assert_string_equal(key, expected);
}

static int count_of(struct info *info)
{
    int count = -1;

    assert_int_equal(info_count(info, &count), MPI_SUCCESS);
    return count;
}

static void pairs_are_kept_in_order(void **state)
{
    struct info *info = fresh();
    char key[MPI_MAX_INFO_KEY];

    (void)state;
    assert_int_equal(count_of(info), 0);
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(info_set(info, key, " any value, spaces kept "), MPI_SUCCESS);
    }
    assert_int_equal(count_of(info), 100);
    key_is(info, 0, "key 0");
    key_is(info, 99, "key 99");
    value_is(info, "key 7", " any value, spaces kept ");
    assert_int_equal(info_set(info, "key 7", ""), MPI_SUCCESS); /* keeps its place */
    key_is(info, 7, "key 7");
    value_is(info, "key 7", "");
    value_is(info, "Key 7", NULL);
    value_is(info, " key 7", NULL);
    assert_int_equal(info_delete(info, "key 7"), MPI_SUCCESS);
    assert_int_equal(count_of(info), 99);
    key_is(info, 7, "key 8");
    value_is(info, "key 7", NULL);
    assert_int_equal(info_free(info), MPI_SUCCESS);
}

static void errors_have_their_class(void **state)
{
    struct info *info = fresh();
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 2];

    (void)state;
    memset(key, 'k', MPI_MAX_INFO_KEY);
    key[MPI_MAX_INFO_KEY] = '\0';
    memset(value, 'v', MPI_MAX_INFO_VAL + 1);
    value[MPI_MAX_INFO_VAL + 1] = '\0';
    assert_int_equal(info_set(info, key, "v"), MPI_ERR_INFO_KEY);
    assert_int_equal(info_delete(info, key), MPI_ERR_INFO_KEY);
    assert_int_equal(info_get(info, key, NULL, 0, &(size_t){0}, &(int){0}), MPI_ERR_INFO_KEY);
    assert_int_equal(info_set(info, "", "v"), MPI_ERR_INFO_KEY);
    assert_int_equal(info_set(info, NULL, "v"), MPI_ERR_INFO_KEY);
    assert_int_equal(info_set(info, "k", NULL), MPI_ERR_INFO_VALUE);
    assert_int_equal(info_set(info, "k", value), MPI_ERR_INFO_VALUE);
    assert_int_equal(info_delete(info, "k"), MPI_ERR_INFO_NOKEY);
    assert_string_equal(fail_note(), "the info has no key \"k\"");
    assert_int_equal(info_nth_key(info, 0, key), MPI_ERR_ARG);
    assert_int_equal(info_nth_key(info, -1, key), MPI_ERR_ARG);
    assert_int_equal(count_of(info), 0);
    key[MPI_MAX_INFO_KEY - 1] = '\0';
    value[MPI_MAX_INFO_VAL] = '\0';
    assert_int_equal(info_set(info, key, value), MPI_SUCCESS); /* the longest legal ones */
    key_is(info, 0, key);
    value_is(info, key, value);
    info_free(info);
}

static void values_are_cut_to_the_buffer(void **state)
{
    struct info *info = fresh();
    char buffer[8] = "unset";
    size_t needed = 0;
    int found = 0;

    (void)state;
    info_set(info, "k", "abcdef");
    assert_int_equal(info_get(info, "k", buffer, 0, &needed, &found), MPI_SUCCESS);
    assert_true(found && needed == 7);
    assert_string_equal(buffer, "unset");
    info_get(info, "k", buffer, 4, &needed, &found);
    assert_string_equal(buffer, "abc");
    assert_int_equal(needed, 7);
    info_get(info, "k", buffer, 1, &needed, &found);
    assert_string_equal(buffer, "");
    info_get(info, "k", buffer, 7, &needed, &found);
    assert_string_equal(buffer, "abcdef");
    needed = 4711;
    info_get(info, "absent", buffer, 8, &needed, &found);
    assert_int_equal(found, 0);
    assert_int_equal(needed, 4711);
    assert_string_equal(buffer, "abcdef");
    info_free(info);
}

static void dup_is_independent(void **state)
{
    struct info *info = fresh(), *copy = NULL;

    (void)state;
    info_set(info, "b", "1");
    info_set(info, "a", "2");
    assert_int_equal(info_dup(info, &copy), MPI_SUCCESS);
    assert_ptr_not_equal(copy, info);
    key_is(copy, 0, "b");
    key_is(copy, 1, "a");
    info_set(copy, "b", "3");
    info_delete(copy, "a");
    value_is(info, "b", "1");
    value_is(info, "a", "2");
    info_free(info);
    value_is(copy, "b", "3");
    info_free(copy);
}

static void a_freed_handle_is_dead(void **state)
{
    struct info *info = fresh();
    uint64_t handle = object_handle(&info->object);
    uint32_t live = pool_live(&info_pool);

    (void)state;
    assert_ptr_equal(pool_find(&info_pool, handle), info);
    assert_int_equal(info_free(info), MPI_SUCCESS);
    assert_null(pool_find(&info_pool, handle));
    assert_int_equal(pool_live(&info_pool), live - 1);
}

static void hints_are_offered_and_reported(void **state)
{
    struct info *info = fresh(), *report = NULL;
    struct hints h;

    (void)state;
    hints_init(&h, ON_COMM);
    info_set(info, "mpi_assert_no_any_tag", " true ");
    info_set(info, "somebody_elses", "true");
    info_set(info, "mpi_assert_memory_alloc_kinds", " mpi");
    info_offer(info, &h, AT_CREATE, "a test");
    info_offer(NULL, &h, AT_CREATE, "a test");
    info_free(info);
    assert_int_equal(info_of_hints(&h, &report), MPI_SUCCESS);
    assert_int_equal(count_of(report), 7 + 13); /* settings of communicators */
    value_is(report, "mpi_assert_no_any_tag", "true");
    value_is(report, "mpi_assert_no_any_source", "false");
    value_is(report, "mpi_assert_memory_alloc_kinds", " mpi");
    value_is(report, "mpi_memory_alloc_kinds", "mpi");
    value_is(report, "somebody_elses", NULL);
    value_is(report, "inkling_ring_size", NULL);
    value_is(report, "inkling_allreduce", "auto");
    info_set(report, "mpi_assert_no_any_tag", "false");
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 1);
    info_free(report);
    hints_fini(&h);
}

static void env_is_there_and_read_only(void **state)
{
    struct info *env = (struct info *)object_predefined[(uintptr_t)MPI_INFO_ENV], *copy = NULL;
    char directory[MPI_MAX_INFO_VAL];

    (void)state;
    assert_ptr_equal(env, &info_env);
    value_is(env, "maxprocs", "1");
    value_is(env, "wdir", getcwd(directory, sizeof directory));
    value_is(env, "mpi_memory_alloc_kinds", "mpi,system");
    value_is(env, "soft", NULL);
    value_is(env, "thread_level", NULL);
    assert_int_equal(info_set(env, "a", "b"), MPI_ERR_INFO);
    assert_int_equal(info_delete(env, "wdir"), MPI_ERR_INFO);
    assert_int_equal(info_free(env), MPI_ERR_INFO);
    assert_int_equal(info_dup(env, &copy), MPI_SUCCESS);
    assert_int_equal(info_set(copy, "a", "b"), MPI_SUCCESS);
    value_is(env, "a", NULL);
    info_free(copy);
}

static void env_of_a_singleton(void **state)
{
    char *const argv[] = {"ocean", "--deep", "two words", NULL};
    struct info *info = NULL;
    char long_word[MPI_MAX_INFO_VAL];
    char *const long_argv[] = {"ocean", long_word, long_word, NULL};

    (void)state;
    assert_int_equal(info_env_new(3, argv, &info), MPI_SUCCESS);
    value_is(info, "command", "ocean");
    value_is(info, "argv", "--deep two words");
    value_is(info, "maxprocs", "1");
    info_free(info);
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    assert_int_equal(info_env_new(3, long_argv, &info), MPI_SUCCESS);
    value_is(info, "command", "ocean");
    value_is(info, "argv", NULL);
    info_free(info);
    assert_int_equal(info_env_new(0, NULL, &info), MPI_SUCCESS);
    value_is(info, "argv", ""); /* this test runs without arguments */
    info_free(info);
}

/* What the program gives: fewer words than the array has, a null pointer before the end, no word at all. */
static void env_ends_where_the_arguments_do(void **state)
{
    static char *const argv[] = {"ocean", "--deep", "blue", NULL, "no more"}, *const none[] = {NULL, "never"};
    static const struct {
        int argc;
        const char *words;
    } given[] = {{1, ""}, {2, "--deep"}, {3, "--deep blue"}, {5, "--deep blue"}};
    struct info *info = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        assert_int_equal(info_env_new(given[i].argc, argv, &info), MPI_SUCCESS);
        value_is(info, "argv", given[i].words);
        info_free(info);
    }
    for (int argc = 0; argc < 3; argc++) {
        assert_int_equal(info_env_new(argc, none, &info), MPI_SUCCESS);
        value_is(info, "argv", ""); /* this test's own */
        info_free(info);
    }
}

static void env_of_a_launched_process(void **state)
{
    static const char *const told[][2] = {{"INKLING_JOB_COMMAND", "atmos"},
                                          {"INKLING_JOB_ARGV", "-x 1"},
                                          {"INKLING_JOB_MAXPROCS", "10"},
                                          {"INKLING_JOB_ARCH", "power9"},
                                          {"INKLING_JOB_HOST", "localhost"},
                                          {"INKLING_JOB_SOFT", "2:8:2"},
                                          {"INKLING_JOB_WDIR", "/"},
                                          {"INKLING_JOB_ERRHANDLER", "mpi_errors_return"},
                                          {"INKLING_JOB_THREAD_LEVEL", "MPI_THREAD_MULTIPLE"}};
    char *const argv[] = {"valgrind", "atmos", NULL};
    struct info *info = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        setenv(told[i][0], told[i][1], 1);
    assert_int_equal(info_env_new(2, argv, &info), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        unsetenv(told[i][0]);
    value_is(info, "command", "atmos");
    value_is(info, "argv", "-x 1");
    value_is(info, "maxprocs", "10");
    value_is(info, "arch", "power9");
    value_is(info, "host", "localhost");
    value_is(info, "soft", "2:8:2");
    value_is(info, "wdir", "/");
    value_is(info, "mpi_initial_errhandler", "mpi_errors_return");
    value_is(info, "thread_level", "MPI_THREAD_MULTIPLE");
    info_free(info);
}

enum {
    THREADS = 4,
    ROUNDS = 400
};

static struct info *shared;

/* Each thread sets, reads and deletes its own key of a shared object, and copies the whole. */
static void *hammer(void *number)
{
    char key[16], value[16], back[16];

    snprintf(key, sizeof key, "thread %d", *(int *)number);
    for (int i = 0; i < ROUNDS; i++) {
        struct info *copy;
        size_t needed;
        int found = 0;

        snprintf(value, sizeof value, "%d", i);
        if (info_set(shared, key, value) || info_get(shared, key, back, sizeof back, &needed, &found) ||
            !found || strcmp(back, value) || info_dup(shared, &copy))
            return number;
        if (info_get(copy, key, back, sizeof back, &needed, &found) || !found || strcmp(back, value) ||
            info_free(copy) || (i % 2 && info_delete(shared, key)))
            return number;
    }
    return NULL;
}

static void threads_share_an_info(void **state)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    void *failed;

    (void)state;
    shared = fresh();
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, hammer, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(count_of(shared), 0);
    info_free(shared);
}

static struct hints live;

/* Reports of live hints are snapshots: the assertion and the narrowed list match. */
static void *report_live(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        char asserted[32], kinds[32];
        struct info *info;
        size_t needed;
        int found = 0;

        if (info_of_hints(&live, &info) ||
            info_get(info, "mpi_memory_alloc_kinds", kinds, sizeof kinds, &needed, &found) || !found ||
            info_get(info, "mpi_assert_memory_alloc_kinds", asserted, sizeof asserted, &needed, &found))
            return &live;
        if (found ? strcmp(asserted, kinds) != 0 : strcmp(kinds, "mpi,system") != 0)
            return &live;
        info_free(info);
    }
    return unused;
}

static void reports_are_snapshots(void **state)
{
    pthread_t thread;
    void *failed;

    (void)state;
    hints_init(&live, ON_COMM);
    assert_int_equal(pthread_create(&thread, NULL, report_live, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct hints next;

        assert_true(hints_copy(&live, &next));
        hint_offer(&next, AT_SET, "mpi_assert_memory_alloc_kinds", i % 2 ? "system" : "mpi:alloc_mem");
        hints_move(&live, &next);
        hints_fini(&next);
    }
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    hints_fini(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_kept_in_order),         cmocka_unit_test(errors_have_their_class),
        cmocka_unit_test(values_are_cut_to_the_buffer),    cmocka_unit_test(dup_is_independent),
        cmocka_unit_test(a_freed_handle_is_dead),          cmocka_unit_test(hints_are_offered_and_reported),
        cmocka_unit_test(env_is_there_and_read_only),      cmocka_unit_test(env_of_a_singleton),
        cmocka_unit_test(env_ends_where_the_arguments_do), cmocka_unit_test(env_of_a_launched_process),
        cmocka_unit_test(threads_share_an_info),           cmocka_unit_test(reports_are_snapshots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
