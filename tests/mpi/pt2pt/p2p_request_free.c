/* ranks: 1 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=0 */
/* MPI_Request_free of active requests: the operation goes on, the handle is dead at once, and MPI_Finalize
 * waits for it: the last sends of this program are still under way then. */
#include "p2p.h"

enum {
    LARGE = 1 << 20
};

static unsigned char *out, *in;
static int to, from;

static void expect_dead(MPI_Request dead)
{
    MPI_Status status;
    int flag, index;

    CHECK_CODE(MPI_Wait(&dead, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Test(&dead, &flag, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Waitall(1, &dead, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Waitany(1, &dead, &index, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Request_get_status(dead, &flag, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Request_free(&dead), MPI_ERR_REQUEST, "freed");
}

static void free_send(int bytes)
{
    MPI_Request request, copy;
    MPI_Status status;

    fill(out, (size_t)bytes, 1);
    CHECK_EQ(MPI_Issend(out, bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    copy = request;
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(request, MPI_REQUEST_NULL);
    expect_dead(copy);
    CHECK_EQ(MPI_Recv(in, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    CHECK_STATUS(&status, from, 1, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 1), -1);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* out is taken everywhere */
    expect_dead(copy);
}

/* A receive, too: a later message of the same sender tells that it has come. */
static void free_receive(int bytes)
{
    MPI_Request request, copy, send[2];

    fill(out, (size_t)bytes, 2);
    memset(in, 0, LARGE);
    CHECK_EQ(MPI_Irecv(in, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    copy = request;
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    expect_dead(copy);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD, &send[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&send[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < 1000; i++) /* pieces may still lie in the ring */
        CHECK_EQ(MPI_Sendrecv(NULL, 0, MPI_INT, to, 2, NULL, 0, MPI_INT, from, 2, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 2), -1);
    expect_dead(copy);
}

static void free_complete(void)
{
    MPI_Request request;
    int word = 5, got = 0, flag = 0;

    CHECK_EQ(MPI_Irecv(&got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(&word, 1, MPI_INT, rank, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    while (!flag)
        CHECK_EQ(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(got, 5);
}

/* A communicator may go while its freed send is under way. */
static void free_with_communicator(void)
{
    MPI_Request request;
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    fill(out, LARGE, 3);
    CHECK_EQ(MPI_Isend(out, LARGE, MPI_BYTE, to, 1, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(in, LARGE, MPI_BYTE, from, 1, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, LARGE, 3), -1);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

/* Rank 0 goes to MPI_Finalize at once; the others receive. */
static void leave_to_finalize(void)
{
    MPI_Request request;

    fill(out, LARGE, 9);
    for (int i = 1; rank == 0 && i < size; i++) {
        CHECK_EQ(MPI_Isend(out, LARGE, MPI_BYTE, i, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    }
    if (rank == 0)
        return;
    CHECK_EQ(
        MPI_Sendrecv(NULL, 0, MPI_INT, rank, 5, NULL, 0, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    memset(in, 0, LARGE);
    CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, LARGE, 9), -1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    out = malloc(LARGE);
    in = malloc(LARGE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    free_send(0);
    free_send(100);
    free_send(LARGE);
    free_receive(100);
    free_receive(5000);
    free_complete();
    free_with_communicator();
    leave_to_finalize();
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
