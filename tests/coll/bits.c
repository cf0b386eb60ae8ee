/* The same reduction gives the same bits the first time and later, whichever algorithm the library has chosen
 * meanwhile, and in every form: with INKLING_REPRODUCIBLE_REDUCTIONS. */
#include "check.h"

enum {
    CALLS = 12,
    MOST = 20000
};

static int rank;
static double in[MOST], first[MOST], out[MOST];

static void check_bits(int count, int call)
{
    if (call == 0)
        memcpy(first, out, sizeof first);
    CHECK_EQ(memcmp(first, out, (size_t)count * sizeof *out), 0);
}

static void allreduce(int count)
{
    for (int i = 0; i < CALLS; i++) {
        MPI_Request request;

        if (i % 2)
            CHECK_EQ(MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request),
                     MPI_SUCCESS);
        else
            CHECK_EQ(MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        if (i % 2)
            CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        check_bits(count, i);
    }
}

static void reduce(int count)
{
    for (int i = 0; i < CALLS; i++) {
        CHECK_EQ(MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank == 0)
            check_bits(count, i);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MOST; i++) /* sums that are rounded, each order its own way */
        in[i] = 1.0 / (1 + rank * 37 + i * 11 % 1013);
    for (int count = 1; count <= MOST; count = count * 3 + 1) {
        allreduce(count);
        reduce(count);
    }
    MPI_Finalize();
    return 0;
}
