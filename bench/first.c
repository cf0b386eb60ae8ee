/* first: what meeting takes, in microseconds, on the slowest rank: MPI_Init, the first barrier, the first
 * MPI_Alltoall, after which all ranks have met, and the second one. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"init", "first_barrier", "first_alltoall", "second_alltoall"};
    double at[5], mine[4], most[4];
    int size, rank;
    int *in, *out;

    at[0] = now();
    MPI_Init(&argc, &argv);
    at[1] = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = calloc((size_t)size, sizeof *in);
    out = calloc((size_t)size, sizeof *out);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    at[2] = now();
    for (int i = 3; i < 5; i++) {
        MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
        at[i] = now();
    }
    for (int i = 0; i < 4; i++)
        mine[i] = at[i + 1] - at[i];
    MPI_Reduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < 4; i++)
        printf("%s %.1f\n", name[i], most[i]);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
