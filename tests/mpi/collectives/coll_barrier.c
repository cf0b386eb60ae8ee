/* ranks: 1 2 3 4 5 8 17 */
/* MPI_Barrier: nobody leaves before everybody has come; collectives in a row do not mix. */
#include "check.h"

#include <time.h>

static int rank, size;

/* All ranks of this test share a host and so the monotonic clock. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void nobody_leaves_early(int late)
{
    struct timespec nap = {0, 20 * 1000 * 1000};
    double arrived, left, last;

    if (rank == late)
        nanosleep(&nap, NULL);
    arrived = now();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    left = now();
    MPI_Allreduce(&arrived, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    CHECK(left >= last);
}

/* Ranks are in different collectives at the same time, with different partners each. */
static void many_in_a_row(void)
{
    for (int i = 0; i < 300; i++) {
        int root = i % size, seen = rank == root ? i : -1, sum = 0;

        MPI_Bcast(&seen, 1, MPI_INT, root, MPI_COMM_WORLD);
        CHECK_EQ(seen, i);
        MPI_Reduce(&seen, &sum, 1, MPI_INT, MPI_SUM, (root + 1) % size, MPI_COMM_WORLD);
        CHECK(rank != (root + 1) % size || sum == i * size);
        if (i % 7 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Messages of the program with any tag stay apart from those of collectives. */
static void wildcards_do_not_see_collectives(void)
{
    int got = -1, sent = rank, next = (rank + 1) % size;
    MPI_Request request;

    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    many_in_a_row();
    MPI_Send(&sent, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(got, (rank - 1 + size) % size);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int late = 0; late < size; late++)
        nobody_leaves_early(late);
    for (int i = 0; i < 1000; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    wildcards_do_not_see_collectives();
    MPI_Finalize();
    return 0;
}
