/* Groups compared with a naive reference, and the errors. */
#include "group/group.h"

#include "unit.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORLD = 1000
};

static uint64_t seed = 42;

static int pick(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)below);
}

/* A group of `size` distinct processes below WORLD in random order. */
static struct group *random_group(int size)
{
    int process[WORLD];
    struct group *g;

    for (int i = 0; i < WORLD; i++)
        process[i] = i;
    for (int i = 0; i < size; i++) {
        int other = i + pick(WORLD - i), p = process[i];

        process[i] = process[other];
        process[other] = p;
    }
    assert_int_equal(group_new(size, process, &g), MPI_SUCCESS);
    return g;
}

static int naive_rank_of(const struct group *g, int process)
{
    for (int i = 0; i < g->size; i++)
        if (g->process[i] == process)
            return i;
    return MPI_UNDEFINED;
}

static void check_ranks(const struct group *g)
{
    for (int p = -2; p < WORLD + 2; p++)
        assert_int_equal(group_rank_of(g, p), naive_rank_of(g, p));
}

static void rank_of_agrees_with_looking_at_each(void **state)
{
    static const int sizes[] = {0, 1, 2, 3, 8, 9, 10, 64, 500, WORLD};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct group *g = random_group(sizes[i]);

        check_ranks(g);
        group_unref(g);
    }
}

static void rank_of_works_on_every_stride(void **state)
{
    static const int first_stride[][2] = {{0, 1}, {5, 1}, {3, 7}, {999, -1}, {900, -9}};
    int process[100];

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct group *g;

        for (int j = 0; j < 100; j++)
            process[j] = first_stride[i][0] + j * first_stride[i][1];
        assert_int_equal(group_new(100, process, &g), MPI_SUCCESS);
        assert_int_equal(g->stride, first_stride[i][1]);
        check_ranks(g);
        group_unref(g);
    }
}

static void check_set_operation(int (*operation)(struct group *, struct group *, struct group **),
                                struct group *a, struct group *b, bool wanted, bool with_b)
{
    int expected[2 * WORLD], n = 0;
    struct group *g;

    for (int i = 0; i < a->size; i++)
        if (with_b || (naive_rank_of(b, a->process[i]) != MPI_UNDEFINED) == wanted)
            expected[n++] = a->process[i];
    for (int i = 0; with_b && i < b->size; i++)
        if (naive_rank_of(a, b->process[i]) == MPI_UNDEFINED)
            expected[n++] = b->process[i];
    assert_int_equal(operation(a, b, &g), MPI_SUCCESS);
    assert_int_equal(g->size, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(g->process[i], expected[i]);
    if (n == 0)
        assert_ptr_equal(g, &group_empty);
    assert_int_equal(g->rank, naive_rank_of(g, group_me));
    assert_int_equal(group_free(g), MPI_SUCCESS);
}

static void set_operations_agree_with_their_definition(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        struct group *a = random_group(pick(60)), *b = random_group(pick(300));

        check_set_operation(group_union, a, b, false, true);
        check_set_operation(group_intersection, a, b, true, false);
        check_set_operation(group_difference, a, b, false, false);
        check_set_operation(group_union, a, a, false, true);
        check_set_operation(group_difference, a, a, false, false);
        group_unref(a);
        group_unref(b);
    }
    assert_int_equal(pool_live(&group_pool), 0);
}

static void include_and_exclude_choose_ranks(void **state)
{
    static const int ranks[] = {4, 0, 2};
    int process[] = {10, 11, 12, 13, 14};
    struct group *g, *in, *out;

    (void)state;
    group_new(5, process, &g);
    assert_int_equal(group_include(g, 3, ranks, &in), MPI_SUCCESS);
    assert_int_equal(in->size, 3);
    assert_int_equal(in->process[0], 14);
    assert_int_equal(in->process[1], 10);
    assert_int_equal(in->process[2], 12);
    assert_int_equal(group_exclude(g, 3, ranks, &out), MPI_SUCCESS);
    assert_int_equal(out->size, 2);
    assert_int_equal(out->process[0], 11);
    assert_int_equal(out->process[1], 13);
    group_free(in);
    group_free(out);
    assert_int_equal(group_include(g, 0, NULL, &in), MPI_SUCCESS);
    assert_ptr_equal(in, &group_empty);
    assert_int_equal(group_exclude(g, 0, NULL, &out), MPI_SUCCESS);
    assert_int_equal(group_compare(out, g), MPI_IDENT);
    group_free(out);
    group_unref(g);
    assert_int_equal(pool_live(&group_pool), 0);
}

static void wrong_ranks_are_refused(void **state)
{
    static const int bad[][2] = {{-1, 0}, {5, 0}, {0, 0}, {3, 3}, {MPI_PROC_NULL, 1}};
    int process[] = {10, 11, 12, 13, 14}, result[2] = {7, 7};
    struct group *g, *none = NULL;

    (void)state;
    group_new(5, process, &g);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(group_include(g, 2, bad[i], &none), MPI_ERR_RANK);
        assert_int_equal(group_exclude(g, 2, bad[i], &none), MPI_ERR_RANK);
    }
    assert_int_equal(group_include(g, -1, bad[0], &none), MPI_ERR_ARG);
    assert_int_equal(group_translate(g, -1, bad[4], g, result), MPI_ERR_ARG);
    assert_int_equal(group_translate(g, 2, bad[0], g, result), MPI_ERR_RANK);
    assert_int_equal(group_translate(g, 2, bad[1], g, result), MPI_ERR_RANK);
    assert_int_equal(result[0], 7);
    assert_null(none);
    assert_int_equal(group_translate(g, 2, bad[4], g, result), MPI_SUCCESS);
    assert_int_equal(result[0], MPI_PROC_NULL);
    assert_int_equal(result[1], 1);
    group_unref(g);
}

static void ranges_expand_to_ranks(void **state)
{
    int process[20], up[][3] = {{2, 9, 3}, {19, 10, -4}}, one[][3] = {{4, 4, 1}, {3, 3, -5}};
    struct group *g, *in, *out;
    static const int expected[] = {2, 5, 8, 19, 15, 11};

    (void)state;
    for (int i = 0; i < 20; i++)
        process[i] = 100 + i;
    group_new(20, process, &g);
    assert_int_equal(group_range_include(g, 2, up, &in), MPI_SUCCESS);
    assert_int_equal(in->size, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(in->process[i], 100 + expected[i]);
    assert_int_equal(group_range_exclude(g, 2, up, &out), MPI_SUCCESS);
    assert_int_equal(out->size, 14);
    group_free(in);
    group_free(out);
    assert_int_equal(group_range_include(g, 2, one, &in), MPI_SUCCESS);
    assert_int_equal(in->size, 2);
    group_free(in);
    assert_int_equal(group_range_include(g, 0, up, &in), MPI_SUCCESS);
    assert_ptr_equal(in, &group_empty);
    group_unref(g);
    assert_int_equal(pool_live(&group_pool), 0);
}

static void wrong_ranges_are_refused(void **state)
{
    static const struct {
        int range[3], error;
    } bad[] = {
        {{0, 3, 0}, MPI_ERR_ARG},           {{0, 3, -1}, MPI_ERR_ARG},
        {{3, 0, 1}, MPI_ERR_ARG},           {{0, 5, 1}, MPI_ERR_RANK},
        {{-1, 2, 1}, MPI_ERR_RANK},         {{4, -1, -1}, MPI_ERR_RANK},
        {{0, 2147483647, 1}, MPI_ERR_RANK}, {{1, -2147483647 - 1, -2147483647 - 1}, MPI_ERR_RANK},
    };
    int process[] = {10, 11, 12, 13, 14}, twice[][3] = {{0, 2, 1}, {2, 2, 1}};
    struct group *g, *none = NULL;

    (void)state;
    group_new(5, process, &g);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int range[1][3];

        memcpy(range[0], bad[i].range, sizeof range[0]);
        assert_int_equal(group_range_include(g, 1, range, &none), bad[i].error);
        assert_int_equal(group_range_exclude(g, 1, range, &none), bad[i].error);
    }
    assert_int_equal(group_range_include(g, 2, twice, &none), MPI_ERR_RANK);
    assert_null(none);
    group_unref(g);
}

static void compare_tells_order_from_members(void **state)
{
    int abc[] = {1, 2, 3}, cab[] = {3, 1, 2}, abd[] = {1, 2, 4};
    struct group *a, *same, *mixed, *other;

    (void)state;
    group_new(3, abc, &a);
    group_new(3, abc, &same);
    group_new(3, cab, &mixed);
    group_new(3, abd, &other);
    assert_int_equal(group_compare(a, a), MPI_IDENT);
    assert_int_equal(group_compare(a, same), MPI_IDENT);
    assert_int_equal(group_compare(a, mixed), MPI_SIMILAR);
    assert_int_equal(group_compare(a, other), MPI_UNEQUAL);
    assert_int_equal(group_compare(a, &group_empty), MPI_UNEQUAL);
    assert_int_equal(group_compare(&group_empty, &group_empty), MPI_IDENT);
    group_unref(a);
    group_unref(same);
    group_unref(mixed);
    group_unref(other);
}

static void handles_are_counted(void **state)
{
    int process[] = {0, 1};
    struct group *g; /* as a communicator holds it */
    uint64_t handle;

    (void)state;
    group_new(2, process, &g);
    assert_int_equal(group_free(g), MPI_ERR_GROUP); /* never handed out */
    group_hand_out(g);
    handle = object_handle(&g->object);
    assert_int_equal(group_free(g), MPI_SUCCESS);
    assert_null(pool_find(&group_pool, handle));
    assert_int_equal(group_free(g), MPI_ERR_GROUP);
    assert_int_equal(g->size, 2);
    group_unref(g);
    assert_int_equal(group_free(&group_empty), MPI_SUCCESS);
    assert_int_equal(group_free(&group_empty), MPI_SUCCESS);
    assert_int_equal(pool_live(&group_pool), 0);
}

static int setup(void **state)
{
    (void)state;
    group_me = 17;
    group_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_of_agrees_with_looking_at_each),
        cmocka_unit_test(rank_of_works_on_every_stride),
        cmocka_unit_test(set_operations_agree_with_their_definition),
        cmocka_unit_test(include_and_exclude_choose_ranks),
        cmocka_unit_test(wrong_ranks_are_refused),
        cmocka_unit_test(ranges_expand_to_ranks),
        cmocka_unit_test(wrong_ranges_are_refused),
        cmocka_unit_test(compare_tells_order_from_members),
        cmocka_unit_test(handles_are_counted),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
