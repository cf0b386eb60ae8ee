/* ranks: 1 2 3 also: INKLING_CMA=false,INKLING_RING_SIZE=4096 also: INKLING_EAGER_LIMIT=0 */
/* Messages of every size at which the way of a message changes arrive whole, and write nothing else. */
#include "p2p.h"

enum {
    MOST = (4 << 20) + 3,
    GUARD = 64
};

static unsigned char *out, *in;

static const size_t sizes[] = {
    0,     1,     2,     3,     7,     8,     9,     39,    40,     41,     63,      64,      65,      255,
    256,   257,   503,   504,   505,   511,   512,   513,   1000,   1023,   1024,    1025,    2047,    2048,
    2049,  4087,  4088,  4089,  4095,  4096,  4097,  8191,  8192,   8193,   12345,   16384,   16385,   32767,
    32768, 32769, 65527, 65528, 65529, 65536, 65537, 99999, 131072, 262143, 1048575, 1048576, 1048577, MOST};

static void check_guarded(size_t bytes, unsigned message)
{
    CHECK_EQ(find_wrong(in, bytes, message), -1);
    for (size_t i = bytes; i < bytes + GUARD; i++)
        CHECK_EQ(in[i], 0xee);
}

/* Everybody sends to the next rank and receives from the one before. */
static void shift(size_t bytes, unsigned message)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Status status;

    fill(out, bytes, message + (unsigned)rank);
    memset(in, 0xee, bytes + GUARD);
    CHECK_EQ(MPI_Isend(out, (int)bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(in, (int)bytes, MPI_BYTE, from, 5, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_STATUS(&status, from, 5, (MPI_Count)bytes);
    check_guarded(bytes, message + (unsigned)from);
}

/* Receives first, with more room than needed. */
static void shift_posted(size_t bytes, unsigned message)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request[2];
    MPI_Status status[2];

    fill(out, bytes, message + (unsigned)rank);
    memset(in, 0xee, bytes + GUARD);
    CHECK_EQ(MPI_Irecv(in, (int)bytes + 10, MPI_BYTE, from, 6, MPI_COMM_WORLD, &request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, (int)bytes, MPI_BYTE, to, 6, MPI_COMM_WORLD, &request[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, request, status), MPI_SUCCESS);
    CHECK_STATUS(&status[0], from, 6, (MPI_Count)bytes);
    check_guarded(bytes, message + (unsigned)from);
}

/* Blocking both ways between ranks 0 and 1. */
static void ping_pong(size_t bytes, unsigned message)
{
    if (rank > 1 || size == 1)
        return;
    memset(in, 0xee, bytes + GUARD);
    if (rank == 0) {
        fill(out, bytes, message);
        CHECK_EQ(MPI_Send(out, (int)bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, (int)bytes, MPI_BYTE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Recv(in, (int)bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(in, (int)bytes, MPI_BYTE, 0, 8, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    check_guarded(bytes, message);
}

/* Counts of larger items, int and MPI_Count. */
static void send_items(void)
{
    double sent[300], got[300];
    int to = (rank + 1) % size, from = (rank + size - 1) % size, count;
    MPI_Request request;
    MPI_Status status;

    for (int i = 0; i < 300; i++)
        sent[i] = rank + i / 8.0;
    CHECK_EQ(MPI_Isend_c(sent, 300, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_c(got, 300, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
    CHECK_EQ(count, 300);
    for (int i = 0; i < 300; i++)
        CHECK(got[i] == from + i / 8.0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    out = malloc(MOST + GUARD);
    in = malloc(MOST + GUARD);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        shift(sizes[i], (unsigned)i * 100);
        shift_posted(sizes[i], (unsigned)i * 100 + 30);
        ping_pong(sizes[i], (unsigned)i * 100 + 60);
    }
    send_items();
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
