/* @NAME@: computes pi on all ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const long steps = 1000000;
    double sum = 0.0, pi = 0.0;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* who am I? */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* how many are we? */

    /* The integral of 4 / (1 + x * x) from 0 to 1. Each rank takes every size-th step. */
    for (long i = rank; i < steps; i += size) {
        double x = ((double)i + 0.5) / (double)steps;

        sum += 4.0 / (1.0 + x * x) / (double)steps;
    }
    /* Rank 0 gets the sum of what all ranks have. */
    MPI_Reduce(&sum, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pi is about %.6f, by %d ranks\n", pi, size);
    MPI_Finalize();
    return 0;
}
