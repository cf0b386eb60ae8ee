/* ranks: 72 timeout: 30 */
/* More senders than a receiver watches at once: everybody talks with rank 0 and with neighbours in turn, so
 * rings are watched, dropped and rung for again. */
#include "p2p.h"

#include <time.h>

enum {
    ROUNDS = 60,
    LATE_ROUNDS = 3,
    LATE_MS = 200
};

static void all_to_one(int round)
{
    int word = 1000 * rank + round, got;
    long long sum = 0;

    if (rank) {
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, 0, round, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, word + 1);
        return;
    }
    for (int i = 1; i < size; i++) {
        MPI_Status status;

        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_EQ(got, 1000 * status.MPI_SOURCE + round);
        sum += status.MPI_SOURCE;
        got++;
        CHECK_EQ(MPI_Send(&got, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    CHECK_EQ(sum, (long long)size * (size - 1) / 2);
}

static void shift(int distance)
{
    int to = (rank + distance) % size, from = (rank + size - distance % size) % size, word = rank, got = -1;

    CHECK_EQ(MPI_Sendrecv(&word, 1, MPI_INT, to, ROUNDS, &got, 1, MPI_INT, from, ROUNDS, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             0);
    CHECK_EQ(got, from);
}

/* Rank 0 comes late, when all rings that it watches are full, and those of the other ranks have been rung
 * for, once: they get no place now, and must not be forgotten. */
static void late_to_all(int round)
{
    int got;

    if (rank) {
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        return;
    }
    nanosleep(&(struct timespec){0, LATE_MS * 1000000L}, NULL);
    for (int i = size - 1; i > 0; i--) { /* those that came last wait for a place */
        for (int n = 0; n < 2; n++) {
            CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, i, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(got, i);
        }
        CHECK_EQ(MPI_Send(&got, 1, MPI_INT, i, round, MPI_COMM_WORLD), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    for (int i = 0; i < LATE_ROUNDS; i++)
        late_to_all(ROUNDS + 1 + i);
    for (int i = 0; i < ROUNDS; i++) {
        all_to_one(i);
        shift(i + 1);
    }
    MPI_Finalize();
    return 0;
}
