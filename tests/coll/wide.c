/* wide: nonblocking collectives between many hosts, in which each rank has something for each other one. */
#include "check.h"

#include <mpi.h>

enum {
    RANKS = 128,
    CALLS = 4
};

static int rank, size;

static void wait_for(int error, MPI_Request *request)
{
    CHECK_EQ(error, MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void exchange(void)
{
    int in[RANKS], out[RANKS], count[RANKS], at[RANKS];
    MPI_Request request;

    for (int r = 0; r < size; r++)
        in[r] = rank * 1000 + r, out[r] = -1, count[r] = 1, at[r] = r;
    wait_for(MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, &request), &request);
    for (int r = 0; r < size; r++)
        CHECK_EQ(out[r], r * 1000 + rank);
    wait_for(MPI_Ialltoallv(out, count, at, MPI_INT, in, count, at, MPI_INT, MPI_COMM_WORLD, &request),
             &request);
    for (int r = 0; r < size; r++)
        CHECK_EQ(in[r], rank * 1000 + r);
}

static void combine(void)
{
    int in[RANKS], out = -1;
    MPI_Request request;

    for (int r = 0; r < size; r++)
        in[r] = rank + r;
    wait_for(MPI_Ireduce_scatter_block(in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), &request);
    CHECK_EQ(out, size * (size - 1) / 2 + size * rank);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK(size <= RANKS);
    for (int i = 0; i < CALLS; i++) {
        exchange();
        combine();
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
