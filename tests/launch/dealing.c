/* Where ranks go on machines that are not there: cmd/mpiexec/launch/dealing.h. */
#include "cmd/mpiexec/launch/dealing.h"

#include "cmd/mpiexec/command_line/words.h"
#include "tests/unit.h"

#include <stdlib.h>

void *words_allocate(size_t size)
{
    return calloc(1, size ? size : 1);
}

enum {
    CORES = 8,
    RANKS = 16
};

/* Two sockets of two NUMA nodes of two cores, numbered as some machines number them: even ones in the first socket. */
static struct core machine[CORES];

static void make_machine(void)
{
    for (int i = 0; i < CORES; i++) {
        int socket = i % 2, node = 2 * socket + i / 4;

        machine[i] = (struct core){.at = {[LEVEL_HWTHREAD] = i,
                                          [LEVEL_CORE] = i,
                                          [LEVEL_L2] = i,
                                          [LEVEL_L3] = node,
                                          [LEVEL_NUMA] = node,
                                          [LEVEL_SOCKET] = socket}};
    }
    dealing_sort(machine, CORES);
}

/* Checks the first core of each rank, as the kernel numbers it, and how many it has. */
static void expect(struct dealing m, int ranks, int width, bool is_clear, const int *cores)
{
    int first[RANKS], found;

    make_machine();
    assert_int_equal(dealing_assign(machine, CORES, ranks, &m, first, &found), is_clear);
    assert_int_equal(found, width);
    for (int i = 0; i < ranks; i++)
        assert_int_equal(machine[first[i]].at[LEVEL_CORE], cores[i]);
}

static void test_sort(void **state)
{
    static const int sorted[CORES] = {0, 2, 4, 6, 1, 3, 5, 7};

    (void)state;
    make_machine();
    for (int i = 0; i < CORES; i++)
        assert_int_equal(machine[i].at[LEVEL_CORE], sorted[i]);
    assert_int_equal(dealing_objects(machine, CORES, LEVEL_MACHINE), 1);
    assert_int_equal(dealing_objects(machine, CORES, LEVEL_SOCKET), 2);
    assert_int_equal(dealing_objects(machine, CORES, LEVEL_NUMA), 4);
    assert_int_equal(dealing_objects(machine, CORES, LEVEL_CORE), 8);
}

static void test_shares(void **state)
{
    struct dealing m = {.map = LEVEL_MACHINE, .rank_level = -1};

    (void)state;
    expect(m, 4, 2, true, (int[]){0, 4, 1, 5});
    expect(m, 3, 2, true, (int[]){0, 4, 1});
    m.width = 1;
    expect(m, 3, 1, true, (int[]){0, 2, 4});
    m.width = 3;
    expect(m, 3, 3, false, (int[]){0, 6, 0}); /* eight cores are not nine */
    m = (struct dealing){.map = LEVEL_SOCKET, .width = 1, .rank_level = -1};
    expect(m, 4, 1, true, (int[]){0, 2, 1, 3});
}

static void test_turns(void **state)
{
    struct dealing m = {.map = LEVEL_SOCKET, .deal = DEAL_TURNS, .width = 1, .rank_level = -1};

    (void)state;
    expect(m, 5, 1, true, (int[]){0, 1, 2, 3, 4});
    m.map = LEVEL_NUMA;
    expect(m, 5, 1, true, (int[]){0, 4, 1, 5, 2});
    m.width = 0; /* each socket's cores for its two */
    m.map = LEVEL_SOCKET;
    expect(m, 4, 2, true, (int[]){0, 1, 4, 5});
    m.width = 1;
    expect(m, 9, 1, false, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 0});
}

static void test_each(void **state)
{
    struct dealing m = {.map = LEVEL_SOCKET, .deal = DEAL_EACH, .each = 2, .width = 1, .rank_level = -1};

    (void)state;
    expect(m, 4, 1, true, (int[]){0, 2, 1, 3});
    m.width = 2;
    expect(m, 4, 2, true, (int[]){0, 4, 1, 5});
    m.each = 3;
    expect(m, 3, 2, false, (int[]){0, 4, 0});
    m = (struct dealing){.map = LEVEL_CORE, .deal = DEAL_EACH, .each = 2, .width = 1, .rank_level = -1};
    expect(m, 3, 1, false, (int[]){0, 0, 2});
}

static void test_ranks(void **state)
{
    struct dealing m = {.map = LEVEL_MACHINE, .width = 1, .rank_level = LEVEL_SOCKET};

    (void)state;
    expect(m, 6, 1, true, (int[]){0, 1, 2, 3, 4, 6}); /* cores 0 2 4 6 1 3 were dealt */
    m.map = LEVEL_SOCKET;
    m.deal = DEAL_TURNS;
    m.rank_level = LEVEL_CORE;
    expect(m, 4, 1, true, (int[]){0, 2, 1, 3});
    m.rank_level = LEVEL_NUMA;
    expect(m, 4, 1, true, (int[]){0, 1, 2, 3});
    m = (struct dealing){
        .map = LEVEL_CORE, .deal = DEAL_EACH, .each = 2, .width = 1, .rank_level = LEVEL_CORE};
    expect(m, 4, 1, false, (int[]){0, 2, 0, 2}); /* cores 0 0 2 2 were dealt */
    m.is_by_slot = true;
    expect(m, 4, 1, false, (int[]){0, 0, 2, 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort), cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_turns), cmocka_unit_test(test_each),
                                       cmocka_unit_test(test_ranks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
