/* ranks: 1 2 */
/* MPI_PROC_NULL (MPI-5.0 section 3.10): every call succeeds at once; receives get the status of nobody. */
#include "p2p.h"

static int data[4] = {1, 2, 3, 4};

static void check_nobody(int line, MPI_Status *status)
{
    check_status(__FILE__, line, status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    for (int i = 0; i < 4; i++)
        check_equal(__FILE__, line, "the buffer is untouched", data[i], i + 1);
}

static void sends(void)
{
    MPI_Request request;

    CHECK_EQ(MPI_Send(data, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Ssend(data, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Rsend(data, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(data, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Issend(data, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Irsend(data, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(request, MPI_REQUEST_NULL);
}

static void receives(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    CHECK_EQ(MPI_Recv(data, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    check_nobody(__LINE__, &status);
    CHECK_EQ(MPI_Recv(data, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    CHECK_EQ(MPI_Irecv(data, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
    CHECK(flag);
    check_nobody(__LINE__, &status);
    CHECK_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EQ(request, MPI_REQUEST_NULL);
    check_nobody(__LINE__, &status);
    CHECK_EQ(MPI_Irecv(data, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

static void probes(void)
{
    MPI_Status status;
    int flag = 0;

    CHECK_EQ(MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    check_nobody(__LINE__, &status);
    CHECK_EQ(MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status), MPI_SUCCESS);
    CHECK(flag);
    check_nobody(__LINE__, &status);
}

static void sendrecvs(void)
{
    MPI_Status status;
    int got = 0, mine = rank + 10;

    CHECK_EQ(MPI_Sendrecv(data, 4, MPI_INT, MPI_PROC_NULL, 0, data, 4, MPI_INT, MPI_PROC_NULL, 0,
                          MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    check_nobody(__LINE__, &status);
    CHECK_EQ(MPI_Sendrecv(&mine, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 0, &got, 1, MPI_INT,
                          rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    CHECK_EQ(got, rank > 0 ? rank + 9 : 0);
    CHECK_EQ(status.MPI_SOURCE, rank > 0 ? rank - 1 : MPI_PROC_NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    sends();
    receives();
    probes();
    sendrecvs();
    MPI_Finalize();
    return 0;
}
