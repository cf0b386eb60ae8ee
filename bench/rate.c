/* rate [windows [level]]: how many 8-byte messages a second one rank sends another, in millions: windows of
 * 64 nonblocking sends and receives, then one message back. The median over batches of 100 windows. level: 0
 * for MPI_THREAD_SINGLE, 1 for MPI_THREAD_MULTIPLE, whose locks nobody but the one thread wants. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WINDOW = 64,
    BATCH = 100,
    WARM = 5
};

static void window_run(int rank)
{
    static char message[WINDOW][8];
    MPI_Request request[WINDOW];
    if (rank == 0) {
        for (int i = 0; i < WINDOW; i++)
            MPI_Isend(message[i], 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        MPI_Recv(message[0], 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(message[i], 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        MPI_Send(message[0], 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, provided, batches = (int)(measure_argument(argc, argv, 1, 20000) / BATCH);
    int level = measure_argument(argc, argv, 2, 0) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    double *each = malloc((size_t)batches * sizeof *each);
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (int i = -WARM; each && i < batches; i++) {
        double start = MPI_Wtime();
        for (int k = 0; k < BATCH; k++)
            window_run(rank);
        if (i >= 0)
            each[i] = BATCH * WINDOW / (MPI_Wtime() - start) / 1e6;
    }
    if (rank == 0 && each)
        printf("rate %.4f\n", measure_median(each, batches));
    MPI_Finalize();
    free(each);
    return 0;
}
