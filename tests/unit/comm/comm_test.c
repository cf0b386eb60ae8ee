/* The context table, and what needs no second process. */
#include "comm/comm.h"

#include "unit.h"

static struct group *pair;

static struct comm *new_comm(uint64_t context)
{
    struct comm *c = NULL;

    assert_int_equal(comm_new(context, pair, &c), MPI_SUCCESS);
    return c;
}

static void context_finds_its_communicator(void **state)
{
    enum {
        MANY = 1000 /* so that the table grows */
    };
    struct comm *all[MANY];

    (void)state;
    for (uint64_t i = 0; i < MANY; i++)
        all[i] = new_comm(i << 32 | 5);
    for (uint64_t i = 1; i < MANY; i++) {
        assert_ptr_equal(comm_find_context(i << 32 | 5), all[i]);
        assert_null(comm_find_context(i << 32 | 6));
    }
    for (uint64_t i = 1; i < MANY; i += 2)
        comm_unref(all[i]);
    for (uint64_t i = 1; i < MANY; i++)
        assert_ptr_equal(comm_find_context(i << 32 | 5), i % 2 ? NULL : all[i]);
    for (uint64_t i = 0; i < MANY; i += 2)
        comm_unref(all[i]);
    assert_int_equal(pool_live(&comm_pool), 0);
}

static void is_found_once_it_is_open(void **state)
{
    struct comm *c = new_comm(0);

    (void)state;
    assert_null(comm_find_context(0));
    comm_open(c, 77);
    assert_ptr_equal(comm_find_context(77), c);
    comm_ref(c);
    comm_unref(c);
    assert_ptr_equal(comm_find_context(77), c);
    comm_unref(c);
    assert_null(comm_find_context(77));
}

static int visits;

static void count_visit(struct comm *c)
{
    assert_int_equal(c->rank, 0);
    c->rank = 1; /* once each */
    visits++;
}

static void each_is_visited_once(void **state)
{
    enum {
        MANY = 2048 /* of such contexts one falls into each chain of a table of that size */
    };
    struct comm *all[MANY];

    (void)state;
    for (uint64_t i = 0; i < MANY; i++) {
        all[i] = new_comm((i + 1) << 32);
        all[i]->rank = 0;
    }
    visits = 0;
    comm_each(count_visit);
    assert_int_equal(visits, MANY);
    for (int i = 0; i < MANY; i++)
        comm_unref(all[i]);
    comm_each(count_visit);
    assert_int_equal(visits, MANY);
}

static void contexts_are_never_given_twice(void **state)
{
    uint64_t first = comm_next_context(1), second = comm_next_context(1);

    (void)state;
    assert_int_equal(first >> 32, group_me + 1);
    assert_int_equal(second >> 32, group_me + 1);
    assert_true(second > first);
}

static void compare_looks_at_both_sides(void **state)
{
    int swapped[] = {1, 0}, others[] = {2, 3}, groups = pool_live(&group_pool);
    struct group *mixed, *remote;
    struct comm *a = new_comm(0), *b = new_comm(0), *c, *inter, *same_inter;

    (void)state;
    group_new(2, swapped, &mixed);
    group_new(2, others, &remote);
    comm_new(0, mixed, &c);
    comm_new_inter(pair, remote, true, &inter);
    comm_new_inter(pair, remote, false, &same_inter);
    assert_int_equal(comm_compare(a, a), MPI_IDENT);
    assert_int_equal(comm_compare(a, b), MPI_CONGRUENT);
    assert_int_equal(comm_compare(a, c), MPI_SIMILAR);
    assert_int_equal(comm_compare(a, inter), MPI_UNEQUAL);
    assert_int_equal(comm_compare(inter, same_inter), MPI_CONGRUENT);
    assert_ptr_equal(inter->process, remote->process);
    assert_int_equal(comm_peer_count(inter), 2);
    comm_unref(a);
    comm_unref(b);
    comm_unref(c);
    comm_unref(inter);
    comm_unref(same_inter);
    group_unref(mixed);
    group_unref(remote);
    assert_int_equal(pool_live(&comm_pool), 0);
    assert_int_equal(pool_live(&group_pool), groups);
}

/* The pool does not grow while communicators come and go. */
static void places_are_taken_again(void **state)
{
    struct comm *first = new_comm(0), *c = NULL;

    (void)state;
    comm_unref(first);
    for (int i = 0; i < 10000 && c != first; i++) {
        c = new_comm(0);
        comm_unref(c);
    }
    assert_ptr_equal(c, first);
}

static int setup(void **state)
{
    int process[] = {0, 1};

    (void)state;
    errhandler_init();
    group_init();
    return group_new(2, process, &pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_finds_its_communicator), cmocka_unit_test(is_found_once_it_is_open),
        cmocka_unit_test(each_is_visited_once),           cmocka_unit_test(contexts_are_never_given_twice),
        cmocka_unit_test(compare_looks_at_both_sides),    cmocka_unit_test(places_are_taken_again),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
