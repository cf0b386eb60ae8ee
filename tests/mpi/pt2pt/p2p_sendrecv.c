/* ranks: 1 2 3 8 timeout: 60 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_RING_SIZE=4096 */
/* MPI_Sendrecv: all shift at once without deadlock, different counts and tags each way, and errors. */
#include "p2p.h"

enum {
    MOST = 1 << 20
};

static unsigned char *out, *in;

static void shift(int bytes)
{
    for (int distance = 0; distance < size; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        MPI_Status status;

        fill(out, (size_t)bytes, (unsigned)rank);
        CHECK_EQ(MPI_Sendrecv(out, bytes, MPI_BYTE, to, distance, in, MOST, MPI_BYTE, from, distance,
                              MPI_COMM_WORLD, &status),
                 MPI_SUCCESS);
        CHECK_STATUS(&status, from, distance, bytes);
        CHECK_EQ(find_wrong(in, (size_t)bytes, (unsigned)from), -1);
    }
}

/* Each rank sends another length under another tag, and matches plain sends and receives. */
static void mixed(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Status status;

    fill(out, MOST, (unsigned)rank);
    CHECK_EQ(MPI_Sendrecv_c(out, 1000 * rank + 1, MPI_BYTE, to, rank, in, MOST, MPI_BYTE, MPI_ANY_SOURCE,
                            MPI_ANY_TAG, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    CHECK_STATUS(&status, from, from, 1000 * from + 1);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        CHECK_EQ(MPI_Isend(out, MOST, MPI_BYTE, to, 4, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, MOST, MPI_BYTE, from, 4, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK_EQ(
            MPI_Sendrecv(out, MOST, MPI_BYTE, to, 4, in, MOST, MPI_BYTE, from, 4, MPI_COMM_WORLD, &status),
            MPI_SUCCESS);
    }
    CHECK_EQ(find_wrong(in, MOST, (unsigned)from), -1);
}

/* A truncated receive does not keep the send from going. */
static void truncated(int bytes)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    fill(out, (size_t)bytes, (unsigned)rank);
    CHECK_CODE(MPI_Sendrecv(out, bytes, MPI_BYTE, to, 1, in, bytes - 1, MPI_BYTE, from, 1, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE),
               MPI_ERR_TRUNCATE, "");
    CHECK_EQ(find_wrong(in, (size_t)bytes - 1, (unsigned)from), -1);
    CHECK_EQ(MPI_Sendrecv(out, bytes, MPI_BYTE, to, 1, in, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, (size_t)bytes, (unsigned)from), -1);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 40, 41, 4096, 4097, 70000, MOST};

    MPI_Init(&argc, &argv);
    set_up();
    out = malloc(MOST);
    in = malloc(MOST);
    for (int i = 0; i < 8; i++)
        shift(lengths[i]);
    mixed();
    truncated(8);
    truncated(100000);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
