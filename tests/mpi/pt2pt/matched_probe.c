/* ranks: 1 2 4  timeout: 60  also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* MPI_Mprobe, MPI_Improbe, MPI_Mrecv and MPI_Imrecv: a probed message is nobody else's. */
#include "check.h"

static int rank, size;

static void stolen_by_nobody(int to, int from)
{
    int first = 100 + rank, second = 200 + rank, got = 0;
    MPI_Message message;
    MPI_Request sends[2], r;
    MPI_Status status;

    CHECK_EQ(MPI_Isend(&first, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &sends[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(&second, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &sends[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
    CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 1);
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 200 + from);
    CHECK_EQ(MPI_Imrecv(&got, 1, MPI_INT, &message, &r), MPI_SUCCESS);
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 1);
    CHECK_EQ(got, 100 + from);
    CHECK_EQ(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static void large(int to, int from)
{
    enum {
        LARGE = 300000
    };
    int *out = malloc(LARGE * sizeof *out), *in = malloc(LARGE * sizeof *in), flag = 0, count = 0;
    MPI_Message message;
    MPI_Request send;
    MPI_Status status;

    for (int i = 0; i < LARGE; i++)
        out[i] = rank + i;
    CHECK_EQ(MPI_Issend(out, LARGE, MPI_INT, to, 2, MPI_COMM_WORLD, &send), MPI_SUCCESS);
    while (!flag)
        CHECK_EQ(MPI_Improbe(from, 2, MPI_COMM_WORLD, &flag, &message, &status), MPI_SUCCESS);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_EQ(count, LARGE);
    CHECK_EQ(MPI_Improbe(from, 2, MPI_COMM_WORLD, &flag, &(MPI_Message){MPI_MESSAGE_NULL}, &status),
             MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Mrecv_c(in, LARGE, MPI_INT, &message, &status), MPI_SUCCESS);
    CHECK(message == MPI_MESSAGE_NULL);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_EQ(count, LARGE);
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ(in[i], from + i);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    free(in);
    free(out);
}

static void nobody(void)
{
    MPI_Message message;
    MPI_Request r;
    MPI_Status status;
    int flag = 0, x = 0;

    CHECK_EQ(MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status), MPI_SUCCESS);
    CHECK(flag == 1 && message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK_EQ(MPI_Mrecv(&x, 1, MPI_INT, &message, &status), MPI_SUCCESS);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK_EQ(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Imrecv_c(&x, 1, MPI_INT, &message, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void wrong(void)
{
    MPI_Message message = MPI_MESSAGE_NULL, copy;
    MPI_Request r;
    int x[2] = {1, 2};

    CHECK_EQ(MPI_Mrecv(x, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Send(x, 2, MPI_INT, rank, 3, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(rank, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    copy = message;
    CHECK(MPI_Message_fromint(MPI_Message_toint(message)) == message);
    CHECK_EQ(MPI_Mrecv(x, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Mrecv(x, 1, MPI_INT, &copy, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Send(x, 2, MPI_INT, rank, 3, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(rank, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Imrecv(x, 1, MPI_INT, &message, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    int to, from;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    stolen_by_nobody(to, from);
    large(to, from);
    nobody();
    wrong();
    MPI_Finalize();
    return 0;
}
