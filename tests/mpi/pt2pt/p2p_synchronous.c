/* ranks: 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* Ssend and Issend do not complete before their receive has started (MPI-5.0 section 3.4); Rsend finds it. */
#include "p2p.h"

#include <time.h>

static void pause_ms(long ms)
{
    struct timespec t = {0, ms * 1000000};

    nanosleep(&t, NULL);
}

/* The partner of even ranks is the next rank. */
static int partner(void)
{
    return rank ^ 1;
}

/* The receiver starts its receive only after it heard, out of band, that the send is still incomplete. */
static void issend_waits(int bytes)
{
    unsigned char *buffer = malloc((size_t)bytes + 1);
    MPI_Request request;
    int flag = 1, word = 0;

    fill(buffer, (size_t)bytes, 4);
    if (rank % 2 == 0) {
        CHECK_EQ(MPI_Issend(buffer, bytes, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        for (int i = 0; i < 20; i++) {
            CHECK_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(flag, 0);
            pause_ms(1);
        }
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        memset(buffer, 0, (size_t)bytes);
        CHECK_EQ(MPI_Recv(buffer, bytes, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
        CHECK_EQ(find_wrong(buffer, (size_t)bytes, 4), -1);
    }
    free(buffer);
}

/* A probe is no receive. */
static void probing_does_not_complete(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 1, word = 7, answer;

    if (rank % 2 == 0) {
        CHECK_EQ(MPI_Issend(&word, 1, MPI_INT, partner(), 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&answer, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, partner(), 3, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Probe(partner(), 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, partner(), 1, 4);
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, partner(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, partner(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for the host */
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A blocking Ssend returns no earlier than the receive begins. */
static void ssend_blocks(void)
{
    double returned, began;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank % 2 == 0) {
        CHECK_EQ(MPI_Ssend(NULL, 0, MPI_BYTE, partner(), 1, MPI_COMM_WORLD), MPI_SUCCESS);
        returned = now();
        CHECK_EQ(MPI_Recv(&began, 1, MPI_DOUBLE, partner(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK(returned >= began);
    } else {
        pause_ms(50);
        began = now();
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Ssend(&began, 1, MPI_DOUBLE, partner(), 1, MPI_COMM_WORLD), MPI_SUCCESS);
    }
}

/* A ready send, its receive being posted. */
static void ready(int bytes)
{
    unsigned char *buffer = calloc((size_t)bytes + 1, 1);
    MPI_Request request[2];

    if (rank % 2) {
        CHECK_EQ(MPI_Irecv(buffer, bytes, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, &request[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(NULL, 0, MPI_BYTE, partner(), 2, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(find_wrong(buffer, (size_t)bytes, 6), -1);
        CHECK_EQ(MPI_Irecv(buffer, bytes, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, &request[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(NULL, 0, MPI_BYTE, partner(), 2, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(find_wrong(buffer, (size_t)bytes, 7), -1);
    } else {
        fill(buffer, (size_t)bytes, 6);
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, partner(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Rsend(buffer, bytes, MPI_BYTE, partner(), 1, MPI_COMM_WORLD), MPI_SUCCESS);
        fill(buffer, (size_t)bytes, 7);
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, partner(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Irsend(buffer, bytes, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, &request[1]), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    free(buffer);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    issend_waits(0);
    issend_waits(4);
    issend_waits(200000);
    probing_does_not_complete();
    ssend_blocks();
    ready(0);
    ready(16);
    ready(500000);
    MPI_Finalize();
    return 0;
}
