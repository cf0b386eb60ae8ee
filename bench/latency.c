/* latency [batches]: the time that 8 bytes take from one rank to another, half a round trip, in microseconds.
 * The median over batches of 100 round trips. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BATCH = 100,
    WARM = 50 /* batches that are not counted */
};

static void batch_run(int rank)
{
    char message[8] = {0};
    for (int i = 0; i < BATCH; i++) {
        if (rank == 0)
            MPI_Send(message, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(message, 8, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(message, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, batches = (int)measure_argument(argc, argv, 1, 3000);
    double *each = malloc((size_t)batches * sizeof *each);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (int i = -WARM; each && i < batches; i++) {
        double start = MPI_Wtime();
        batch_run(rank);
        if (i >= 0)
            each[i] = (MPI_Wtime() - start) / (2 * BATCH) * 1e6;
    }
    if (rank == 0 && each)
        printf("latency %.4f\n", measure_median(each, batches));
    MPI_Finalize();
    free(each);
    return 0;
}
