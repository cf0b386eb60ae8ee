/* ranks: 2 timeout: 60 also: INKLING_TRANSPORT=ofi also: INKLING_TRANSPORT=ucx */
/* A large send is cancelled when its receiver has asked for it, and a part of it is on its way: what arrives is what was sent, whatever
 * the program does with the buffer after MPI_Wait. */
#include "p2p.h"

#include <time.h>
#include <unistd.h>

enum {
    BYTES = 64 << 20, /* more than sockets hold */
    MS = 1000,
    ASKS_MS = 50,   /* the receiver is in MPI, the sender is not; then ... */
    SENDS_MS = 200, /* ... the sender is, and the receiver is not */
    PAUSE_MS = 100
};

static void progress_for(int ms)
{
    double end = MPI_Wtime() + ms / 1e3;
    int flag;

    while (MPI_Wtime() < end)
        CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static int send_cancelled(unsigned char *buffer)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled;

    fill(buffer, BYTES, 5);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    usleep(PAUSE_MS * MS);
    progress_for(SENDS_MS);
    CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
    memset(buffer, 0xee, BYTES);
    return cancelled;
}

static void receive(unsigned char *buffer, MPI_Request *request)
{
    CHECK_EQ(MPI_Irecv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, request), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    progress_for(ASKS_MS);
    usleep((PAUSE_MS + 2 * SENDS_MS) * MS);
}

int main(int argc, char **argv)
{
    unsigned char *buffer = malloc(BYTES);
    MPI_Request request;
    int cancelled = 0;

    MPI_Init(&argc, &argv);
    set_up();
    CHECK(buffer);
    if (rank == 0)
        cancelled = send_cancelled(buffer);
    else
        receive(buffer, &request);
    CHECK_EQ(MPI_Bcast(&cancelled, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1 && cancelled)
        CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    if (rank == 1)
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank == 1 && !cancelled)
        CHECK_EQ(find_wrong(buffer, BYTES, 5), -1);
    free(buffer);
    MPI_Finalize();
    return 0;
}
