/* steady SECONDS [FILE]: two ranks send each other messages of all sizes for so long, or until FILE is there, and look at
 * every byte. Rank 0 writes "ready" once both have talked, and "steady" when all is well at the end. */
#include "check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST = 1 << 20
};

static void fill(unsigned char *bytes, int count, int seed)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)(seed + i * 7);
}

/* Both at once; the sizes are 0, 1, 4, ... to LARGEST and over again. */
static void exchange(int rank, int turn, unsigned char *out, unsigned char *in, unsigned char *due)
{
    int count = turn % 12 ? 1 << 2 * (turn % 12 - 1) : 0, other = 1 - rank;

    fill(out, count, turn + rank);
    fill(due, count, turn + other);
    CHECK_EQ(MPI_Sendrecv(out, count, MPI_BYTE, other, turn % 100, in, count, MPI_BYTE, other, turn % 100,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK(memcmp(in, due, (size_t)count) == 0);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1, begin;
    const char *file = argc > 2 ? argv[2] : NULL;
    unsigned char *bytes = malloc(3 * LARGEST);
    int rank, goes_on = 1;

    CHECK(bytes != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    begin = MPI_Wtime();
    for (int turn = 0; goes_on; turn++) {
        exchange(rank, turn, bytes, bytes + LARGEST, bytes + 2 * LARGEST);
        if (turn == 12 && rank == 0 && puts("ready") >= 0)
            fflush(stdout);
        goes_on = (MPI_Wtime() < begin + seconds && !(file && access(file, F_OK) == 0)) || turn < 24;
        CHECK_EQ(MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    if (rank == 0)
        puts("steady");
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    free(bytes);
    return 0;
}
