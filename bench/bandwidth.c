/* bandwidth [megabytes]: how fast large messages travel from one rank to another, in GB/s, per size: windows
 * of 8 nonblocking sends and receives, then one message back. The median over at least 20 windows that
 * together move the given amount. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 8,
    WARM = 3,
    PAGE = 4096 /* buffers begin a page, so that libraries whose allocators differ copy the same way */
};

static const int sizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20};

static void window_run(int rank, char *buffer, int size)
{
    MPI_Request request[WINDOW];
    for (int i = 0; i < WINDOW; i++) {
        if (rank == 0)
            MPI_Isend(buffer, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(buffer, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[i]);
    }
    MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(buffer, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

static void size_measure(int rank, int size, long megabytes)
{
    int windows = (int)(megabytes * 1000000 / ((long)WINDOW * size));
    windows = windows < 20 ? 20 : windows;
    char *buffer = aligned_alloc(PAGE, (size_t)size);
    double *each = malloc((size_t)windows * sizeof *each);
    if (!buffer || !each)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(buffer, rank == 0 ? 7 : 0, (size_t)size);
    for (int i = -WARM; i < windows; i++) {
        double start = MPI_Wtime();
        window_run(rank, buffer, size);
        if (i >= 0)
            each[i] = (double)WINDOW * size / (MPI_Wtime() - start) / 1e9;
    }
    for (int i = 0; i < size; i++)
        if (buffer[i] != 7) {
            fprintf(stderr, "bandwidth: byte %d of %d did not arrive\n", i, size);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    if (rank == 0)
        printf("bandwidth_%dK %.3f\n", size >> 10, measure_median(each, windows));
    free(each);
    free(buffer);
}

int main(int argc, char **argv)
{
    int rank;
    long megabytes = measure_argument(argc, argv, 1, 1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        size_measure(rank, sizes[i], megabytes);
    MPI_Finalize();
    return 0;
}
