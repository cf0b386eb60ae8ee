/* Latency and bandwidth as OSU's benchmarks measure them: half a round trip, and a window of sends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST = 1 << 20,
    ROUNDS = 100,
    WINDOW = 16
};

static char *buffer;

static double half_round(int rank, int bytes)
{
    double began = MPI_Wtime();

    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - began) / (2 * ROUNDS);
}

static double window(int rank, int bytes)
{
    MPI_Request request[WINDOW];
    double began = MPI_Wtime();

    for (int i = 0; i < WINDOW; i++)
        if (rank == 0)
            MPI_Isend(buffer, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(buffer + (size_t)i * bytes, bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    return (MPI_Wtime() - began) / WINDOW;
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = calloc(MOST, WINDOW);
    for (int bytes = 1; bytes <= MOST; bytes *= 4) {
        double time = half_round(rank, bytes), each = window(rank, bytes);

        if (rank == 0)
            printf("%-10d %12.2f us %12.1f MB/s\n", bytes, 1e6 * time, bytes / each / 1e6);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
