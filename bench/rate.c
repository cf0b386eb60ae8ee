/* rate [windows [level [bytes]]]: how many messages a second one rank sends another, in millions: windows of
 * 64 nonblocking sends and receives, then one message back. The median over batches of windows. level: 0
 * for MPI_THREAD_SINGLE, 1 for MPI_THREAD_MULTIPLE, whose locks nobody but the one thread wants. bytes: of a message, 8 if not given. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WINDOW = 64,
    BATCH = 100,
    BATCH_OF_LONG = 10, /* messages of more than a page */
    PAGE = 4096,
    WARM = 5
};

static void window_run(int rank, char *message, int bytes)
{
    MPI_Request request[WINDOW];
    if (rank == 0) {
        for (int i = 0; i < WINDOW; i++)
            MPI_Isend(message + (size_t)i * bytes, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        MPI_Recv(message, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(message + (size_t)i * bytes, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        MPI_Send(message, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static char small[WINDOW * 8];
    int rank, provided, level = measure_argument(argc, argv, 2, 0) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int bytes = (int)measure_argument(argc, argv, 3, 8), batch = bytes > PAGE ? BATCH_OF_LONG : BATCH;
    int batches = (int)(measure_argument(argc, argv, 1, 20000) / batch);
    double *each = malloc((size_t)batches * sizeof *each);
    char *large = bytes > 8 ? calloc(WINDOW, (size_t)bytes) : NULL, *message = large ? large : small;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (int i = -WARM; each && (large || bytes <= 8) && i < batches; i++) {
        double start = MPI_Wtime();
        for (int k = 0; k < batch; k++)
            window_run(rank, message, bytes);
        if (i >= 0)
            each[i] = batch * WINDOW / (MPI_Wtime() - start) / 1e6;
    }
    if (rank == 0 && each)
        printf("rate %.6f\n", measure_median(each, batches));
    MPI_Finalize();
    free(large);
    free(each);
    return 0;
}
