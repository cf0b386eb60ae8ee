/* ranks: 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_RING_SIZE=4096,INKLING_CMA=false
 */
/* While a rank waits in a collective, what it has begun to send goes on, with room for some of it at a time,
 * and even if nobody tells it that there is room again. */
#include "p2p.h"

#include <unistd.h>

enum {
    ROUNDS = 6,
    MESSAGES = 40,
    LARGEST = 300000
};

static unsigned char out[MESSAGES][LARGEST], in[LARGEST];

static int bytes_of(int message)
{
    return message % 2 ? LARGEST - message : 100 * message;
}

/* The others sleep in the collective, or spin, before anything is received. */
static void receive_late(int round)
{
    usleep((unsigned)round % 3 * 20000);
    for (int from = 1; from < size; from++)
        for (int i = 0; i < MESSAGES; i++) {
            CHECK_EQ(MPI_Recv(in, LARGEST, MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
            CHECK_EQ(find_wrong(in, (size_t)bytes_of(i), (unsigned)(from + i)), -1);
            if (i % 16 == 0)
                usleep(500);
        }
}

static void meet(int round)
{
    int sum, one = 1;

    if (round % 2) {
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        return;
    }
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(sum, size);
}

int main(int argc, char **argv)
{
    MPI_Request sends[MESSAGES];

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    set_up();
    for (int i = 0; i < MESSAGES; i++)
        fill(out[i], (size_t)bytes_of(i), (unsigned)(rank + i));
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            receive_late(round);
        for (int i = 0; rank > 0 && i < MESSAGES; i++)
            CHECK_EQ(MPI_Isend(out[i], bytes_of(i), MPI_BYTE, 0, i, MPI_COMM_WORLD, &sends[i]), MPI_SUCCESS);
        meet(round);
        if (rank > 0)
            CHECK_EQ(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
