/* ranks: 1 2 3 */
/* Neighbourhood collectives where a process has nobody to send to or to receive from: its buffers hold
 * nothing, and may be NULL whatever the counts are. */
#include "check.h"

static MPI_Comm comm;
static int rank, size;

static void check_star(const int *all)
{
    for (int r = 0; r < 3; r++)
        CHECK_EQ(all[r], rank == 0 && r < size ? r + 1 : 0);
}

/* The ranks point at rank 0 and at no other. */
static void star(void)
{
    int in[3] = {0, 1, 2}, out = 0, mine = rank + 1, all[3] = {0};
    MPI_Comm graph;
    MPI_Request r;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(comm, rank ? 0 : size, in, MPI_UNWEIGHTED, 1, &out,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_allgather(&mine, 1, MPI_INT, rank ? NULL : all, 1, MPI_INT, graph), MPI_SUCCESS);
    check_star(all);
    memset(all, 0, sizeof all);
    CHECK_EQ(MPI_Ineighbor_alltoall(&mine, 1, MPI_INT, rank ? NULL : all, 1, MPI_INT, graph, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_star(all);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(NULL, 1, MPI_INT, rank ? NULL : all, 1, MPI_INT, graph)),
             MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, graph)),
             MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
}

static void complete(MPI_Request *r)
{
    CHECK_EQ(MPI_Wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* What a rank gives or gets; all NULL: it has nobody on that side. */
struct side {
    int *buffer;
    const int *counts;
    const MPI_Aint *places;
    const MPI_Datatype *types;
};

static const struct side none;

/* What all others have given has come; it is forgotten. */
static void check_came(struct side got)
{
    for (int i = 0; got.buffer && i < size - 1; i++) {
        CHECK_EQ(got.buffer[i], i + 1);
        got.buffer[i] = 0;
    }
}

/* The arrays of a side that has nobody may be NULL, those of datatypes too, in each form. */
static void in_each_form(MPI_Comm graph, struct side out, struct side in)
{
    MPI_Request r;

    CHECK_EQ(MPI_Neighbor_alltoallw(out.buffer, out.counts, out.places, out.types, in.buffer, in.counts,
                                    in.places, in.types, graph),
             MPI_SUCCESS);
    check_came(in);
    CHECK_EQ(MPI_Ineighbor_alltoallw(out.buffer, out.counts, out.places, out.types, in.buffer, in.counts,
                                     in.places, in.types, graph, &r),
             MPI_SUCCESS);
    complete(&r);
    check_came(in);
    CHECK_EQ(MPI_Neighbor_alltoallw_init(out.buffer, out.counts, out.places, out.types, in.buffer, in.counts,
                                         in.places, in.types, graph, MPI_INFO_NULL, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    complete(&r);
    check_came(in);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
}

/* Rank 0 gets from all others, who get from nobody. */
static void types_of_nobody(void)
{
    int in[] = {1, 2}, out = 0, mine = rank, one = 1, ones[] = {1, 1}, all[2] = {0};
    MPI_Aint at = 0, places[] = {0, sizeof(int)};
    MPI_Datatype type = MPI_INT, types[] = {MPI_INT, MPI_INT};
    MPI_Comm graph;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(comm, rank ? 0 : size - 1, in, MPI_UNWEIGHTED, rank != 0, &out,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
             MPI_SUCCESS);
    if (rank)
        in_each_form(graph, (struct side){&mine, &one, &at, &type}, none);
    else
        in_each_form(graph, none, (struct side){all, ones, places, types});
    CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
}

static void nobody(void)
{
    int v = 0;
    MPI_Comm graph;
    MPI_Request r;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(comm, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &graph),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_allgather(&v, 1, MPI_INT, NULL, 1, MPI_INT, graph), MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, graph), MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_alltoall_c(NULL, 1, MPI_INT, NULL, 1, MPI_INT, graph), MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_alltoallv(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT, graph),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, graph), MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_alltoall_init(NULL, 1, MPI_INT, NULL, 1, MPI_INT, graph, MPI_INFO_NULL, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    complete(&r);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    in_each_form(graph, none, none);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(&v, -1, MPI_INT, NULL, 1, MPI_INT, graph)), MPI_ERR_COUNT);
    CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
}

/* A grid of no dimensions, and one that ends on both sides of its only process. */
static void lonely_grids(void)
{
    int v = 0, dim = 1, period = 0;
    MPI_Comm grid;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_allgather(&v, 1, MPI_INT, NULL, 1, MPI_INT, grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_create(MPI_COMM_SELF, 1, &dim, &period, 0, &grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&grid), MPI_SUCCESS);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    star();
    types_of_nobody();
    nobody();
    lonely_grids();
    MPI_Finalize();
    return 0;
}
