/* ranks: 1 2 4  timeout: 60  also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K not: counts */
/* Persistent requests in all modes: rounds, start twice, wait on an inactive one, free, MPI_PROC_NULL,
 * cancel; one that is left to MPI_Finalize, and so counts as left behind. */
#include "check.h"

enum {
    ROUNDS = 50,
    LARGE = 100000
};

static int rank, size;

static void ring(int count)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int *out = malloc((size_t)count * sizeof *out), *in = malloc((size_t)count * sizeof *in);
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int got = 0, mode2[1] = {0}, in2[1] = {0};

    CHECK_EQ(MPI_Recv_init(in, count, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Send_init(out, count, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init_c(in2, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[2]), MPI_SUCCESS);
    CHECK_EQ(MPI_Ssend_init_c(mode2, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &requests[3]), MPI_SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++)
            out[i] = round * 1000 + rank + i;
        mode2[0] = round + rank;
        CHECK_EQ(MPI_Startall(4, requests), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(4, requests, statuses), MPI_SUCCESS);
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[3] != MPI_REQUEST_NULL);
        for (int i = 0; i < count; i++)
            CHECK_EQ(in[i], round * 1000 + left + i);
        CHECK_EQ(in2[0], round + left);
        CHECK(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 5 && statuses[2].MPI_SOURCE == left);
        MPI_Get_count(&statuses[0], MPI_INT, &got);
        CHECK_EQ(got, count);
    }
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(MPI_Request_free(&requests[i]), MPI_SUCCESS);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    free(in);
    free(out);
}

static void check_empty(const MPI_Status *status)
{
    int count = -1;

    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0);
}

/* An inactive request is like a null one to wait and test, and must not be cancelled. */
static void inactive(void)
{
    MPI_Request r, same;
    MPI_Status status;
    int flag = 0, x = 0, index = 0;

    CHECK_EQ(MPI_Recv_init(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    same = r;
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    check_empty(&status);
    CHECK_EQ(MPI_Test(&r, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    check_empty(&status);
    CHECK_EQ(MPI_Waitany(1, &r, &index, &status), MPI_SUCCESS);
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_EQ(MPI_Waitall(1, &r, &status), MPI_SUCCESS);
    check_empty(&status);
    CHECK(r == same);
    CHECK_EQ(MPI_Cancel(&r), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&same), MPI_ERR_REQUEST);
}

static void wrong_starts(void)
{
    int x = 1, y = 0;
    MPI_Request r[2], plain = MPI_REQUEST_NULL;

    CHECK_EQ(MPI_Start(&plain), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Irecv(&y, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&plain), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Send(&x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&plain, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(&y, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Send_init(&x, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r[0]), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Startall(2, r), MPI_ERR_REQUEST); /* starts neither */
    CHECK_EQ(MPI_Start(&r[1]), MPI_SUCCESS);
    x = 7;
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(0, NULL), MPI_SUCCESS);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* Freed while active: the operation goes on. */
static void freed_active(void)
{
    int x = 41, y = 0, z = 0;
    MPI_Request r;

    CHECK_EQ(MPI_Recv_init(&y, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(&x, 1, MPI_INT, rank, 4, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(
        MPI_Sendrecv(&x, 1, MPI_INT, rank, 9, &z, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(y, 41);
}

static void nobody(void)
{
    int x = 3;
    MPI_Request r[2];
    MPI_Status statuses[2];

    CHECK_EQ(MPI_Recv_init(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Rsend_init(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(2, r, statuses), MPI_SUCCESS);
        CHECK_EQ(statuses[0].MPI_SOURCE, MPI_PROC_NULL);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void cancelled(void)
{
    int x = 5, y = 0, flag = 0;
    MPI_Request r;
    MPI_Status status;

    CHECK_EQ(MPI_Recv_init(&y, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Cancel(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS); /* and again, this time with a message */
    CHECK_EQ(MPI_Send(&x, 1, MPI_INT, rank, 8, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    CHECK(flag == 0 && y == 5);
    MPI_Request_free(&r);
}

static void truncated(void)
{
    int x[2] = {1, 2}, y = 0;
    MPI_Request r;
    MPI_Status status;

    CHECK_EQ(MPI_Recv_init(&y, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(x, 2, MPI_INT, rank, 8, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(x + 1, 1, MPI_INT, rank, 8, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK_EQ(y, 2);
    MPI_Request_free(&r);
}

int main(int argc, char **argv)
{
    MPI_Request left_over;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    ring(1);
    ring(LARGE);
    inactive();
    wrong_starts();
    freed_active();
    nobody();
    cancelled();
    truncated();
    MPI_Send_init(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &left_over);
    MPI_Finalize();
    return 0;
}
