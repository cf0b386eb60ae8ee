/* ranks: 2 3 timeout: 20 env: INKLING_CMA=false env: INKLING_RING_SIZE=4096 */
/* Small messages fill the ring of a receiver that is late, and one that is too long for a ring comes behind
 * them. Each try to send it takes memory of the receiver, which must be given back when the ring has no room,
 * or nothing is left in the end. That happens with just as many small ones as the ring has cells. */
#include "p2p.h"

#include <time.h>

enum {
    SMALL = 40, /* more than the ring has cells */
    LONG = 4000
};

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

static void send_to(int to, int count)
{
    static unsigned char words[SMALL], bytes[LONG];
    MPI_Request requests[SMALL + 1];

    fill(bytes, LONG, (unsigned)rank);
    for (int i = 0; i < count; i++) {
        words[i] = (unsigned char)i;
        CHECK_EQ(MPI_Isend(&words[i], 1, MPI_BYTE, to, i, MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Isend(bytes, LONG, MPI_BYTE, to, SMALL, MPI_COMM_WORLD, &requests[count]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(count + 1, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static void receive_from(int from, int count)
{
    static unsigned char bytes[LONG];
    MPI_Status status;

    for (int i = 0; i < count; i++) {
        unsigned char word = 255;

        CHECK_EQ(MPI_Recv(&word, 1, MPI_BYTE, from, i, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, from, i, 1);
        CHECK_EQ(word, i);
    }
    CHECK_EQ(MPI_Recv(bytes, LONG, MPI_BYTE, from, SMALL, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    CHECK_STATUS(&status, from, SMALL, LONG);
    CHECK_EQ(find_wrong(bytes, LONG, (unsigned)from), -1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    for (int count = 1; count <= SMALL; count++) {
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank) {
            send_to(0, count);
            continue;
        }
        pause_ms(5); /* outside of MPI, while the senders try */
        for (int from = 1; from < size; from++)
            receive_from(from, count);
    }
    MPI_Finalize();
    return 0;
}
