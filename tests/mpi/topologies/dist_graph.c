/* ranks: 1 2 3 5 8 */
/* Distributed graph topologies: both constructors, weights, multiple edges, loops, isolated processes. */
#include "check.h"

enum {
    MOST = 64
};

static int rank, size;

/* How many edges lead from a to b, and with what weights, in a graph that all ranks know. */
static int edges_between(int a, int b)
{
    if (a == size - 1 && size > 2)
        return 0; /* nothing leaves the last one */
    return (a * 3 + b * 5) % 4 == 0 ? 2 : a == b || (a + 1) % size == b;
}

static int weight_of(int a, int b, int k)
{
    return a * 100 + b * 10 + k;
}

static int list(int *other, int *weight, int is_in)
{
    int n = 0;

    for (int r = 0; r < size; r++)
        for (int k = 0; k < (is_in ? edges_between(r, rank) : edges_between(rank, r)); k++) {
            other[n] = r;
            weight[n++] = is_in ? weight_of(r, rank, k) : weight_of(rank, r, k);
        }
    return n;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

/* The same edges in any order. */
static void check_equal_lists(int n, const int *a, const int *a_weight, const int *b, const int *b_weight)
{
    int left[MOST][2], right[MOST][2];

    for (int i = 0; i < n; i++) {
        left[i][0] = a[i], left[i][1] = a_weight ? a_weight[i] : 0;
        right[i][0] = b[i], right[i][1] = a_weight ? b_weight[i] : 0;
    }
    qsort(left, (size_t)n, sizeof *left, compare);
    qsort(right, (size_t)n, sizeof *right, compare);
    CHECK_EQ(memcmp(left, right, (size_t)n * sizeof *left), 0);
}

/* What rank `me` of the graph should have. Exact: in the order of list(). */
static void check_graph(MPI_Comm graph, int is_weighted, int is_exact)
{
    int in[MOST], in_weight[MOST], out[MOST], out_weight[MOST], ins, outs, weighted, status, old = rank;
    int got_in[MOST], got_in_weight[MOST], got_out[MOST], got_out_weight[MOST], again[MOST];

    MPI_Comm_rank(graph, &rank);
    ins = list(in, in_weight, 1);
    outs = list(out, out_weight, 0);
    rank = old;
    CHECK_EQ(MPI_Topo_test(graph, &status), MPI_SUCCESS);
    CHECK_EQ(status, MPI_DIST_GRAPH);
    CHECK_EQ(MPI_Dist_graph_neighbors_count(graph, &got_in[0], &got_out[0], &weighted), MPI_SUCCESS);
    CHECK_EQ(got_in[0], ins);
    CHECK_EQ(got_out[0], outs);
    CHECK_EQ(weighted, is_weighted);
    memset(got_in_weight, 0xff, sizeof got_in_weight);
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, MOST, got_in, got_in_weight, MOST, got_out, got_out_weight),
             MPI_SUCCESS);
    check_equal_lists(ins, in, is_weighted ? in_weight : NULL, got_in, got_in_weight);
    check_equal_lists(outs, out, is_weighted ? out_weight : NULL, got_out, got_out_weight);
    if (is_exact) {
        CHECK_EQ(memcmp(in, got_in, (size_t)ins * sizeof *in), 0);
        CHECK_EQ(memcmp(out, got_out, (size_t)outs * sizeof *out), 0);
    }
    CHECK(is_weighted || got_in_weight[0] == -1); /* no weights are given where there are none */
    if (!is_weighted)
        CHECK_EQ(MPI_Dist_graph_neighbors(graph, MOST, again, NULL, MOST, got_out, MPI_WEIGHTS_EMPTY),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, MOST, again, MPI_UNWEIGHTED, MOST, got_out, MPI_UNWEIGHTED),
             MPI_SUCCESS);
    CHECK_EQ(memcmp(again, got_in, (size_t)ins * sizeof *in), 0);
    again[1] = -7; /* only the first part */
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, 1, again, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED), MPI_SUCCESS);
    CHECK_EQ(again[1], -7);
    CHECK_EQ(MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Dist_graph_neighbors(graph, -1, again, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED)),
             MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Dist_graph_neighbors(graph, 0, NULL, MPI_UNWEIGHTED, -1, again, MPI_UNWEIGHTED)),
             MPI_ERR_ARG);
}

static void adjacent(void)
{
    int in[MOST], in_weight[MOST], out[MOST], out_weight[MOST], r;
    int ins = list(in, in_weight, 1), outs = list(out, out_weight, 0);
    MPI_Comm graph, dup;

    for (int mode = 0; mode < 4; mode++) {
        int is_weighted = mode & 1, reorder = mode >> 1;

        CHECK_EQ(MPI_Dist_graph_create_adjacent(
                     MPI_COMM_WORLD, ins, in, is_weighted ? in_weight : MPI_UNWEIGHTED, outs, out,
                     is_weighted ? out_weight : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &graph),
                 MPI_SUCCESS);
        MPI_Comm_rank(graph, &r);
        CHECK(reorder || r == rank);
        check_graph(graph, is_weighted, 1);
        MPI_Comm_dup(graph, &dup);
        MPI_Comm_free(&graph);
        check_graph(dup, is_weighted, 1);
        MPI_Comm_free(&dup);
    }
}

/* Who names an edge: its source; its destination; somebody else; rank 0 all of them. */
static int is_mine_to_name(int a, int b, int way)
{
    switch (way) {
    case 0:
        return a == rank;
    case 1:
        return b == rank;
    case 2:
        return (a + 2 * b) % size == rank;
    default:
        return rank == 0;
    }
}

static void general(void)
{
    static int source[MOST * MOST], degree[MOST * MOST], dest[MOST * MOST], weight[MOST * MOST];
    MPI_Comm graph;
    int r;

    for (int way = 0; way < 4; way++)
        for (int mode = 0; mode < 4; mode++) {
            int is_weighted = mode & 1, reorder = mode >> 1, n = 0, edges = 0;

            for (int b = 0; b < size; b++)
                for (int a = 0; a < size; a++) {
                    if (!is_mine_to_name(a, b, way))
                        continue;
                    source[n] = a;
                    degree[n] = edges_between(a, b);
                    for (int k = 0; k < degree[n]; k++) {
                        dest[edges] = b;
                        weight[edges++] = weight_of(a, b, k);
                    }
                    n++;
                }
            CHECK_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, n, source, degree, dest,
                                           !is_weighted ? MPI_UNWEIGHTED
                                           : edges      ? weight
                                                        : MPI_WEIGHTS_EMPTY,
                                           MPI_INFO_NULL, reorder, &graph),
                     MPI_SUCCESS);
            MPI_Comm_rank(graph, &r);
            CHECK(reorder || r == rank);
            check_graph(graph, is_weighted, 0);
            MPI_Comm_free(&graph);
        }
}

static void no_edges(void)
{
    int in = -1, out = -1, weighted = -1;
    MPI_Comm graph;

    CHECK_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 1,
                                   &graph),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted), MPI_SUCCESS);
    CHECK(in == 0 && out == 0 && weighted);
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, 0, NULL, NULL, 0, NULL, NULL), MPI_SUCCESS);
    MPI_Comm_free(&graph);
    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &graph),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted), MPI_SUCCESS);
    CHECK(in == 0 && out == 0 && !weighted);
    MPI_Comm_free(&graph);
}

static void errors(void)
{
    int one[1] = {0}, bad[1] = {size}, minus[1] = {-1}, me[1] = {rank};
    MPI_Comm out = MPI_COMM_SELF;

#define ADJACENT(in, s, sw, o, d, dw)                                                                        \
    class_of(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, s, sw, o, d, dw, MPI_INFO_NULL, 0, &out))
#define GENERAL(n, s, g, d, w)                                                                               \
    class_of(MPI_Dist_graph_create(MPI_COMM_WORLD, n, s, g, d, w, MPI_INFO_NULL, 0, &out))
    CHECK_EQ(ADJACENT(-1, me, one, 1, me, one), MPI_ERR_ARG);
    CHECK_EQ(ADJACENT(1, me, one, -1, me, one), MPI_ERR_ARG);
    CHECK_EQ(ADJACENT(1, NULL, one, 1, me, one), MPI_ERR_ARG);
    CHECK_EQ(ADJACENT(1, bad, one, 1, me, one), MPI_ERR_RANK);
    CHECK_EQ(ADJACENT(1, me, one, 1, minus, one), MPI_ERR_RANK);
    CHECK_EQ(ADJACENT(1, me, minus, 1, me, one), MPI_ERR_ARG);
    CHECK_EQ(ADJACENT(1, me, MPI_UNWEIGHTED, 1, me, one), MPI_ERR_ARG);
    CHECK_EQ(ADJACENT(1, me, NULL, 1, me, one), MPI_ERR_ARG);
    CHECK_EQ(ADJACENT(1, me, MPI_WEIGHTS_EMPTY, 1, me, one), MPI_ERR_ARG);
    CHECK_EQ(GENERAL(-1, one, one, one, one), MPI_ERR_ARG);
    CHECK_EQ(GENERAL(1, bad, one, one, one), MPI_ERR_RANK);
    CHECK_EQ(GENERAL(1, one, minus, one, one), MPI_ERR_ARG);
    CHECK_EQ(GENERAL(1, one, NULL, one, one), MPI_ERR_ARG);
    CHECK_EQ(GENERAL(1, one, (int[]){1}, bad, one), MPI_ERR_RANK);
    CHECK_EQ(GENERAL(1, one, (int[]){1}, one, minus), MPI_ERR_ARG);
    CHECK_EQ(GENERAL(1, one, (int[]){1}, NULL, one), MPI_ERR_ARG);
    if (size > 1) { /* one rank is wrong, or does as the others do not */
        CHECK_EQ(GENERAL(rank ? 0 : -1, NULL, NULL, NULL, MPI_UNWEIGHTED),
                 rank ? MPI_ERR_OTHER : MPI_ERR_ARG);
        CHECK_EQ(GENERAL(0, NULL, NULL, NULL, rank ? MPI_UNWEIGHTED : MPI_WEIGHTS_EMPTY), MPI_ERR_NOT_SAME);
        CHECK_EQ(class_of(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED,
                                                MPI_INFO_NULL, rank == 0, &out)),
                 MPI_ERR_NOT_SAME);
    }
    CHECK(out == MPI_COMM_SELF);
    CHECK_EQ(class_of(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, one, one, one)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 0, NULL, NULL, 0, NULL, NULL)),
             MPI_ERR_TOPOLOGY);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    adjacent();
    general();
    no_edges();
    errors();
    MPI_Finalize();
    return 0;
}
