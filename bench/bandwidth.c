/* bandwidth [megabytes]: how fast large messages travel from one rank to another, in GB/s, per size: windows
 * of 8 nonblocking sends and receives, then one message back. The median over at least 20 windows that
 * together move the given amount. bandwidth_SIZE is between buffers of malloc, bandwidth_mpi_SIZE between
 * buffers of MPI_Alloc_mem; pingpong_mpi_SIZE is one message there and back, both ways counted, as a program
 * sees it that touches nothing in between. */
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

static const int sizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

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

static void pingpong_run(int rank, char *buffer, int size)
{
    for (int i = 0; i < WINDOW / 2; i++) {
        if (rank == 0)
            MPI_Send(buffer, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

static char *take(int of_mpi, int size)
{
    char *buffer = NULL;
    if (of_mpi)
        MPI_Alloc_mem(size, MPI_INFO_NULL, &buffer);
    else
        buffer = aligned_alloc(PAGE, (size_t)size);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return buffer;
}

static void size_measure(int rank, int size, long megabytes, const char *name, int of_mpi,
                         void (*run)(int rank, char *buffer, int size))
{
    int windows = (int)(megabytes * 1000000 / ((long)WINDOW * size));
    windows = windows < 20 ? 20 : windows;
    char *buffer = take(of_mpi, size);
    double *each = malloc((size_t)windows * sizeof *each);
    if (!each)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(buffer, rank == 0 ? 7 : 0, (size_t)size);
    for (int i = -WARM; i < windows; i++) {
        double start = MPI_Wtime();
        run(rank, buffer, size);
        if (i >= 0)
            each[i] = (double)WINDOW * size / (MPI_Wtime() - start) / 1e9;
    }
    for (int i = 0; i < size; i++)
        if (buffer[i] != 7) {
            fprintf(stderr, "bandwidth: byte %d of %d did not arrive\n", i, size);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    if (rank == 0)
        printf("%s_%dK %.3f\n", name, size >> 10, measure_median(each, windows));
    free(each);
    if (of_mpi)
        MPI_Free_mem(buffer);
    else
        free(buffer);
}

int main(int argc, char **argv)
{
    int rank;
    long megabytes = measure_argument(argc, argv, 1, 1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_measure(rank, sizes[i], megabytes, "bandwidth", 0, window_run);
        size_measure(rank, sizes[i], megabytes, "bandwidth_mpi", 1, window_run);
        size_measure(rank, sizes[i], megabytes, "pingpong_mpi", 1, pingpong_run);
    }
    MPI_Finalize();
    return 0;
}
