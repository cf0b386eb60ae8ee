/* barrier [count]: the time that a barrier of all ranks takes, in microseconds, on rank 0: the mean, since
 * with more ranks than cores a few can take as long as all others together. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    long count = measure_argument(argc, argv, 1, 1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < count; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    double spent = MPI_Wtime() - start;
    if (rank == 0)
        printf("barrier %.3f\n", spent / (double)count * 1e6);
    MPI_Finalize();
    return 0;
}
