/* Orders of ranks for invented places. */
#include "topo/topo.h"

#include "unit.h"

#include <stdlib.h>

enum {
    MOST = 1024
};

static struct edge edge[8 * MOST];
static struct order_place place[MOST];
static int node[MOST];

static size_t grid(int rows, int columns, int periodic)
{
    size_t n = 0;

    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            if (r + 1 < rows || periodic)
                edge[n++] = (struct edge){r * columns + c, (r + 1) % rows * columns + c, 1};
            if (c + 1 < columns || periodic)
                edge[n++] = (struct edge){r * columns + c, r * columns + (c + 1) % columns, 1};
        }
    return n;
}

static void place_all(int count, int hosts, int is_cyclic)
{
    for (int i = 0; i < count; i++) {
        int host = is_cyclic ? i % hosts : i / (count / hosts);

        place[i] = (struct order_place){{host, -1, -1, -1}};
    }
}

/* Checks that the order is a permutation. Returns the weight of the edges between hosts (or places of the
 * level). */
static int cut(int count, size_t edges, const int *node_of, int level)
{
    int process[MOST], sum = 0;

    for (int i = 0; i < count; i++)
        process[i] = -1;
    for (int i = 0; i < count; i++) {
        assert_in_range(node_of[i], 0, count - 1);
        assert_int_equal(process[node_of[i]], -1);
        process[node_of[i]] = i;
    }
    for (size_t i = 0; i < edges; i++)
        if (place[process[edge[i].from]].at[level] != place[process[edge[i].to]].at[level])
            sum += edge[i].weight;
    return sum;
}

static int cut_of_order(int count, size_t edges, int level)
{
    assert_int_equal(order_find(count, edge, edges, place, node), MPI_SUCCESS);
    return cut(count, edges, node, level);
}

static int cut_of_identity(int count, size_t edges, int level)
{
    for (int i = 0; i < count; i++)
        node[i] = i;
    return cut(count, edges, node, level);
}

static void one_host_keeps_its_order(void **state)
{
    size_t edges = grid(4, 4, 1);

    (void)state;
    place_all(16, 1, 0);
    cut_of_order(16, edges, 0);
    for (int i = 0; i < 16; i++)
        assert_int_equal(node[i], i);
}

static void grids_become_blocks(void **state)
{
    size_t edges = grid(4, 4, 0);

    (void)state;
    for (int is_cyclic = 0; is_cyclic < 2; is_cyclic++) {
        place_all(16, 4, is_cyclic);
        assert_int_equal(cut_of_order(16, edges, 0), 8); /* 2 x 2 each: the best there is */
    }
    edges = grid(8, 8, 0);
    for (int is_cyclic = 0; is_cyclic < 2; is_cyclic++) {
        place_all(64, 4, is_cyclic);
        assert_in_range(cut_of_order(64, edges, 0), 16, 20); /* 4 x 4 each: 16; rows: 24; cyclic: 56 */
    }
}

static void packages_count_within_hosts(void **state)
{
    size_t edges = grid(4, 4, 0);

    (void)state;
    for (int i = 0; i < 16; i++)
        place[i] = (struct order_place){{i % 2, i % 4, i % 4, i % 4}};
    assert_int_equal(cut_of_order(16, edges, 0), 4);
    assert_int_equal(cut(16, edges, node, 1), 8);
}

static void ranks_of_one_place_keep_their_order(void **state)
{
    static const int want[] = {1, 3, 0, 2};

    (void)state;
    edge[0] = (struct edge){0, 2, 1};
    edge[1] = (struct edge){1, 3, 1};
    for (int i = 0; i < 4; i++)
        place[i] = (struct order_place){{i < 2, -1, -1, -1}};
    assert_int_equal(cut_of_order(4, 2, 0), 0);
    assert_memory_equal(node, want, sizeof want);
}

static void heavy_edges_stay_inside(void **state)
{
    /* pairs (i, i + 8) with heavy traffic, in a ring with little */
    size_t edges = 0;

    (void)state;
    for (int i = 0; i < 16; i++)
        edge[edges++] = (struct edge){i, (i + 1) % 16, 1};
    for (int i = 0; i < 8; i++)
        edge[edges++] = (struct edge){i, i + 8, 1000};
    place_all(16, 8, 0);
    assert_true(cut_of_order(16, edges, 0) <= 16);
}

static void hosts_of_different_size_and_idle_nodes(void **state)
{
    size_t edges = grid(1, 10, 0);

    (void)state;
    for (int i = 0; i < 16; i++)
        place[i] = (struct order_place){{i % 5 == 0 ? 0 : i % 3 + 1, -1, -1, -1}};
    assert_true(cut_of_order(16, edges, 0) <= 3);
    assert_true(cut_of_order(16, 0, 0) == 0);
}

/* For any graph the order is never worse than the original ranks, measured by hosts. */
static void random_graphs_do_not_get_worse(void **state)
{
    unsigned seed = 20260601;

    (void)state;
    print_message("seed %u\n", seed);
    for (int round = 0; round < 200; round++) {
        int count = 2 + rand_r(&seed) % 60, before;
        size_t edges = (size_t)(rand_r(&seed) % (3 * count));

        for (size_t i = 0; i < edges; i++)
            edge[i] = (struct edge){rand_r(&seed) % count, rand_r(&seed) % count, rand_r(&seed) % 5};
        for (int i = 0; i < count; i++)
            place[i] = (struct order_place){{rand_r(&seed) % 4, 0, 0, 0}};
        before = cut_of_identity(count, edges, 0);
        assert_true(cut_of_order(count, edges, 0) <= before);
    }
}

static void a_thousand_ranks_take_no_time(void **state)
{
    size_t edges = grid(32, 32, 1);
    int before;

    (void)state;
    place_all(1024, 16, 1);
    before = cut_of_identity(1024, edges, 0);
    assert_true(cut_of_order(1024, edges, 0) * 3 < before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_host_keeps_its_order),
        cmocka_unit_test(grids_become_blocks),
        cmocka_unit_test(packages_count_within_hosts),
        cmocka_unit_test(ranks_of_one_place_keep_their_order),
        cmocka_unit_test(heavy_edges_stay_inside),
        cmocka_unit_test(hosts_of_different_size_and_idle_nodes),
        cmocka_unit_test(random_graphs_do_not_get_worse),
        cmocka_unit_test(a_thousand_ranks_take_no_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
