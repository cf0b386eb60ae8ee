/* ranks: 2 3 4 timeout: 30 also: INKLING_BCAST=mailbox,INKLING_REDUCE=mailbox,INKLING_SCATTER=mailbox */
/* A rank that is late while the others are ahead by many collectives: what they have sent waits for it,
 * whichever rank it is and whatever is used over again. */
#include "check.h"

#include <time.h>

enum {
    CALLS = 500,
    INTS = 20
};

static int rank, size;

static void be_late(int late)
{
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == late)
        nanosleep(&(struct timespec){0, 30 * 1000 * 1000}, NULL);
}

static void broadcasts(int late, int root)
{
    int v[INTS];

    be_late(late);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < INTS; i++)
            v[i] = rank == root ? call * 100 + i : -1;
        CHECK_EQ(MPI_Bcast(v, INTS, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; i < INTS; i++)
            CHECK_EQ(v[i], call * 100 + i);
    }
}

static void reductions(int late, int root)
{
    int v[INTS], sum[INTS];

    be_late(late);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < INTS; i++)
            v[i] = rank + call * 100 + i;
        CHECK_EQ(MPI_Reduce(v, sum, INTS, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; i < INTS && rank == root; i++)
            CHECK_EQ(sum[i], size * (call * 100 + i) + size * (size - 1) / 2);
    }
}

static void scatters(int late, int root)
{
    int all[8 * INTS], v[INTS];

    be_late(late);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < size * INTS; i++)
            all[i] = call * 1000 + i;
        CHECK_EQ(MPI_Scatter(all, INTS, MPI_INT, v, INTS, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; i < INTS; i++)
            CHECK_EQ(v[i], call * 1000 + rank * INTS + i);
    }
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    for (int late = 0; late < size; late++) {
        broadcasts(late, (late + 1) % size);
        reductions(late, late);
        scatters(late, (late + 1) % size);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
