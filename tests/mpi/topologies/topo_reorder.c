/* ranks: 4 8  env: INKLING_HOST_RANKS=2 */
/* Ranks may be reordered so that the ones that talk most are on one host: here two ranks count as a host. */
#include "check.h"

static int world, size;

/* Twice the weight of the edges between hosts, with process_of[rank] at each rank: heavy ones to the opposite
 * rank, light ones in a ring. */
static int crossing(const int *process_of)
{
    int sum = 0;

    for (int r = 0; r < size; r++) {
        int opposite = (r + size / 2) % size, next = (r + 1) % size;

        sum += process_of[r] / 2 != process_of[opposite] / 2 ? 10 : 0;
        sum += process_of[r] / 2 != process_of[next] / 2 ? 2 : 0;
    }
    return sum;
}

static void check_is_better(MPI_Comm graph)
{
    int as_they_were[16], process_of[16], seen[16] = {0};

    for (int r = 0; r < size; r++)
        as_they_were[r] = r;
    MPI_Allgather(&world, 1, MPI_INT, process_of, 1, MPI_INT, graph);
    for (int r = 0; r < size; r++)
        CHECK_EQ(seen[process_of[r]]++, 0);
    CHECK(crossing(process_of) < crossing(as_they_were));
    CHECK(crossing(process_of) <= 2 * size); /* no heavy edge is left between hosts */
}

/* Each rank hears from its neighbours, whoever they are now. */
static void check_neighbors(MPI_Comm graph, int count, const int *from)
{
    int rank, got[8];

    MPI_Comm_rank(graph, &rank);
    CHECK_EQ(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(got[i], from[i]);
}

static void adjacent(void)
{
    int other[3] = {(world + size / 2) % size, (world + 1) % size, (world + size - 1) % size},
        weight[3] = {10, 1, 1};
    int rank, in[3], in_weight[3], out[3], out_weight[3];
    MPI_Comm graph;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, other, weight, 3, other, weight, MPI_INFO_NULL,
                                            1, &graph),
             MPI_SUCCESS);
    check_is_better(graph);
    /* the edges are those that the process of this rank in the old communicator gave, in its order */
    MPI_Comm_rank(graph, &rank);
    CHECK_EQ(MPI_Dist_graph_neighbors(graph, 3, in, in_weight, 3, out, out_weight), MPI_SUCCESS);
    CHECK(in[0] == (rank + size / 2) % size && in[1] == (rank + 1) % size &&
          in[2] == (rank + size - 1) % size);
    CHECK_EQ(memcmp(in, out, sizeof in), 0);
    CHECK(in_weight[0] == 10 && in_weight[1] == 1 && in_weight[2] == 1);
    check_neighbors(graph, 3, in);
    MPI_Comm_free(&graph);
}

/* Rank 0 knows the whole graph. */
static void general(void)
{
    int source[48], degree[48], dest[48], weight[48], n = 0, in[3], out[3];
    MPI_Comm graph;

    for (int r = 0; r < size && world == 0; r++)
        for (int k = 0; k < 3; k++) {
            source[n] = r;
            degree[n] = 1;
            weight[n] = k ? 1 : 10;
            dest[n++] = k == 0 ? (r + size / 2) % size : k == 1 ? (r + 1) % size : (r + size - 1) % size;
        }
    CHECK_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, n, source, degree, dest, weight, MPI_INFO_NULL, 1, &graph),
             MPI_SUCCESS);
    check_is_better(graph);
    MPI_Dist_graph_neighbors(graph, 3, in, MPI_UNWEIGHTED, 3, out, MPI_UNWEIGHTED);
    check_neighbors(graph, 3, in);
    MPI_Comm_free(&graph);
}

/* What MPI_Cart_map and MPI_Graph_map answer: a communicator that splitting by it gives. */
static MPI_Comm split_by(int newrank, int members)
{
    int rank, count;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, newrank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, newrank, &comm);
    CHECK_EQ(comm == MPI_COMM_NULL, world >= members);
    if (comm == MPI_COMM_NULL)
        return comm;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &count);
    CHECK_EQ(rank, newrank);
    CHECK_EQ(count, members);
    return comm;
}

/* Edges without weights: the opposite rank five times. */
static void old_graph(void)
{
    int index[8], edge[56], n = 0, rank, near[7];
    MPI_Comm graph, mapped;

    for (int r = 0; r < size; r++) {
        for (int k = 0; k < 5; k++)
            edge[n++] = (r + size / 2) % size;
        edge[n++] = (r + 1) % size;
        edge[n++] = (r + size - 1) % size;
        index[r] = n;
    }
    CHECK_EQ(MPI_Graph_create(MPI_COMM_WORLD, size, index, edge, 1, &graph), MPI_SUCCESS);
    check_is_better(graph);
    MPI_Comm_rank(graph, &rank);
    CHECK_EQ(MPI_Graph_neighbors(graph, rank, 7, near), MPI_SUCCESS);
    CHECK_EQ(memcmp(near, edge + 7 * rank, sizeof near), 0);
    check_neighbors(graph, 7, near);
    MPI_Comm_free(&graph);
    CHECK_EQ(MPI_Graph_map(MPI_COMM_WORLD, size, index, edge, &rank), MPI_SUCCESS);
    mapped = split_by(rank, size);
    check_is_better(mapped);
    MPI_Comm_free(&mapped);
    CHECK_EQ(MPI_Graph_map(MPI_COMM_WORLD, 0, NULL, NULL, &rank), MPI_SUCCESS);
    CHECK_EQ(rank, MPI_UNDEFINED);
}

static void check_pairs(MPI_Comm cart)
{
    int process_of[8], cut = 0, members;

    MPI_Comm_size(cart, &members);
    MPI_Allgather(&world, 1, MPI_INT, process_of, 1, MPI_INT, cart);
    for (int c = 0; c < members / 2; c++)
        cut += process_of[c] / 2 != process_of[members / 2 + c] / 2;
    CHECK_EQ(cut, 0); /* the two edges of each pair count twice */
}

/* Asked for a smaller grid, the last two ranks are left out. */
static void map_grid(int members)
{
    int dim[2] = {2, members / 2}, period[2] = {1, 0}, newrank;
    MPI_Comm mapped;

    CHECK_EQ(MPI_Cart_map(MPI_COMM_WORLD, 2, dim, period, &newrank), MPI_SUCCESS);
    mapped = split_by(newrank, members);
    if (mapped == MPI_COMM_NULL)
        return;
    check_pairs(mapped);
    MPI_Comm_free(&mapped);
}

/* A row of pairs, standing upright: row-major order tears each pair apart, and a host of two can hold it. */
static void grid(void)
{
    int dim[2] = {2, size / 2}, period[2] = {1, 0}, near[4], coord[2], rank, r;
    MPI_Comm cart;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, dim, period, 1, &cart), MPI_SUCCESS);
    check_pairs(cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 2, coord);
    CHECK_EQ(MPI_Cart_rank(cart, coord, &r), MPI_SUCCESS);
    CHECK_EQ(r, rank);
    for (int d = 0; d < 2; d++)
        MPI_Cart_shift(cart, d, 1, &near[2 * d], &near[2 * d + 1]);
    r = coord[1] == 0 ? 2 : coord[1] == size / 2 - 1 ? 3 : 4; /* the first missing neighbour */
    check_neighbors(cart, r < 3 ? 2 : r, near);
    MPI_Comm_free(&cart);
}

/* Without leave the ranks stay. */
static void stays(void)
{
    int other = (world + size / 2) % size, rank;
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_rank(graph, &rank);
    CHECK_EQ(rank, world);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    adjacent();
    general();
    old_graph();
    grid();
    map_grid(size);
    map_grid(size - 2);
    stays();
    MPI_Finalize();
    return 0;
}
