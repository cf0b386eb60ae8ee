/* ranks: 1 2 4 7 */
/* Graph topologies. */
#include "check.h"

static int rank, size;

/* The graph of `nodes` nodes in which node v has v % 3 edges to the next ones, a loop, and two edges to node
 * 0. */
static int build(int nodes, int *index, int *edge)
{
    int n = 0;

    for (int v = 0; v < nodes; v++) {
        for (int i = 1; i <= v % 3; i++)
            edge[n++] = (v + i) % nodes;
        edge[n++] = v;
        edge[n++] = 0;
        edge[n++] = 0;
        index[v] = n;
    }
    return n;
}

static void check_graph(MPI_Comm graph, int nodes, const int *index, const int *edge)
{
    int status, n, e, got_index[16], got_edge[128], neighbor[16];

    CHECK_EQ(MPI_Topo_test(graph, &status), MPI_SUCCESS);
    CHECK_EQ(status, MPI_GRAPH);
    CHECK_EQ(MPI_Graphdims_get(graph, &n, &e), MPI_SUCCESS);
    CHECK_EQ(n, nodes);
    CHECK_EQ(e, index[nodes - 1]);
    CHECK_EQ(MPI_Graph_get(graph, 16, 128, got_index, got_edge), MPI_SUCCESS);
    CHECK_EQ(memcmp(index, got_index, (size_t)n * sizeof *index), 0);
    CHECK_EQ(memcmp(edge, got_edge, (size_t)e * sizeof *edge), 0);
    got_index[1] = got_edge[1] = -9;
    CHECK_EQ(MPI_Graph_get(graph, 1, 1, got_index, got_edge), MPI_SUCCESS);
    CHECK(got_index[1] == -9 && got_edge[1] == -9);
    for (int v = 0; v < nodes; v++) {
        int first = v ? index[v - 1] : 0;

        CHECK_EQ(MPI_Graph_neighbors_count(graph, v, &n), MPI_SUCCESS);
        CHECK_EQ(n, index[v] - first);
        CHECK_EQ(MPI_Graph_neighbors(graph, v, 16, neighbor), MPI_SUCCESS);
        CHECK_EQ(memcmp(neighbor, edge + first, (size_t)n * sizeof *edge), 0);
    }
}

static void graphs(void)
{
    int index[16], edge[128], r;
    MPI_Comm graph, dup;

    for (int nodes = 1; nodes <= size; nodes++)
        for (int reorder = 0; reorder < 2; reorder++) {
            build(nodes, index, edge);
            CHECK_EQ(MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edge, reorder, &graph), MPI_SUCCESS);
            CHECK_EQ(graph == MPI_COMM_NULL, rank >= nodes);
            CHECK_EQ(MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edge, &r), MPI_SUCCESS);
            CHECK(rank < nodes ? r >= 0 && r < nodes : r == MPI_UNDEFINED);
            if (graph == MPI_COMM_NULL)
                continue;
            MPI_Comm_rank(graph, &r);
            CHECK(reorder || r == rank);
            check_graph(graph, nodes, index, edge);
            MPI_Comm_dup(graph, &dup);
            MPI_Comm_free(&graph);
            check_graph(dup, nodes, index, edge);
            MPI_Comm_free(&dup);
        }
    CHECK_EQ(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &graph), MPI_SUCCESS);
    CHECK(graph == MPI_COMM_NULL);
}

static void errors(void)
{
    int index[16], edge[128], n;
    MPI_Comm graph, out = MPI_COMM_SELF;

    build(size, index, edge);
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edge, 0, &graph);
    MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
    CHECK_EQ(class_of(MPI_Graph_create(graph, -1, index, edge, 0, &out)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Graph_create(graph, size + 1, index, edge, 0, &out)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Graph_create(graph, size, NULL, edge, 0, &out)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Graph_create(graph, size, index, NULL, 0, &out)), MPI_ERR_ARG);
    for (int i = 0; i < index[size - 1]; i++) { /* each edge, just outside of the nodes */
        build(size, index, edge);
        edge[i] = size;
        CHECK_EQ(class_of(MPI_Graph_create(graph, size, index, edge, 0, &out)), MPI_ERR_ARG);
        CHECK_EQ(class_of(MPI_Graph_map(graph, size, index, edge, &n)), MPI_ERR_ARG);
        edge[i] = -1;
        CHECK_EQ(class_of(MPI_Graph_create(graph, size, index, edge, 0, &out)), MPI_ERR_ARG);
    }
    build(size, index, edge);
    index[0] = -1;
    CHECK_EQ(class_of(MPI_Graph_create(graph, size, index, edge, 0, &out)), MPI_ERR_ARG);
    build(size, index, edge);
    CHECK_EQ(class_of(MPI_Graph_map(graph, size + 1, index, edge, &n)), MPI_ERR_ARG);
    if (size > 1) {
        edge[0] = rank == 0;
        CHECK_EQ(class_of(MPI_Graph_create(graph, size, index, edge, 0, &out)), MPI_ERR_NOT_SAME);
        edge[0] = rank == 0 ? -1 : 0;
        CHECK_EQ(class_of(MPI_Graph_create(graph, size, index, edge, 0, &out)),
                 rank == 0 ? MPI_ERR_ARG : MPI_ERR_OTHER);
    }
    CHECK_EQ(class_of(MPI_Graph_neighbors_count(graph, size, &n)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Graph_neighbors(graph, -1, 16, edge)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Graph_neighbors(graph, 0, -1, edge)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Graph_neighbors(graph, 0, 16, NULL)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Graph_get(MPI_COMM_WORLD, 1, 1, index, edge)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &n)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Cartdim_get(graph, &n)), MPI_ERR_TOPOLOGY);
    CHECK(out == MPI_COMM_SELF);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    graphs();
    errors();
    MPI_Finalize();
    return 0;
}
