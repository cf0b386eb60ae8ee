/* ranks: 2 4 timeout: 30 also: INKLING_PROGRESS_THREAD=true */
/* A root that runs ahead of the others sleeps until they have read what it wrote, and nobody wakes it for that. The others
 * then sleep until it writes more. */
#include "check.h"

#include <unistd.h>

enum {
    CALLS = 200,
    SLOW = 12,          /* calls before each of which the last rank is busy ... */
    BUSY_US = 20 * 1000 /* ... for longer than anybody spins */
};

static int rank, size;

static void be_busy(int call)
{
    if (rank == size - 1 && call > 0 && call <= SLOW)
        usleep(BUSY_US);
}

static void broadcasts(void)
{
    for (int i = 0; i < CALLS; i++) {
        int x = rank == 0 ? i : -1;

        be_busy(i);
        CHECK_EQ(MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(x, i);
    }
}

/* The last rank is the root, which is late, and then all others run ahead. */
static void reductions(void)
{
    for (int i = 0; i < CALLS; i++) {
        int x = rank + i, sum = -1;

        be_busy(i);
        CHECK_EQ(MPI_Reduce(&x, &sum, 1, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK(rank < size - 1 || sum == size * (size - 1) / 2 + size * i);
    }
}

static void nonblocking_broadcasts(void)
{
    MPI_Request request[CALLS];
    int x[CALLS];

    for (int i = 0; i < CALLS; i++) {
        x[i] = rank == 0 ? i : -1;
        be_busy(i);
        CHECK_EQ(MPI_Ibcast(&x[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]), MPI_SUCCESS);
        if (rank == 0)
            CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(CALLS, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < CALLS; i++)
        CHECK_EQ(x[i], i);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    broadcasts();
    reductions();
    nonblocking_broadcasts();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
