/* ranks: 1 2 4  timeout: 60  also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* MPI_Sendrecv_replace, MPI_Isendrecv and MPI_Isendrecv_replace: rings, to oneself, MPI_PROC_NULL,
 * truncation. */
#include "check.h"

static int rank, size;

static int *filled(int count, int base)
{
    int *data = malloc((size_t)(count + 1) * sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = base + i;
    return data;
}

static void check_filled(const int *data, int count, int base)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(data[i], base + i);
}

static void check_status(const MPI_Status *status, int source, int tag, int count)
{
    int got = -1;

    MPI_Get_count(status, MPI_INT, &got);
    CHECK_EQ(status->MPI_SOURCE, source);
    CHECK_EQ(status->MPI_TAG, tag);
    CHECK_EQ(got, count);
}

static void ring(int to, int from, int count)
{
    int *in = filled(count, -1), *out = filled(count, rank);
    MPI_Status status;
    MPI_Request r;

    CHECK_EQ(MPI_Isendrecv(out, count, MPI_INT, to, 3, in, count, MPI_INT, from, 3, MPI_COMM_WORLD, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK(r == MPI_REQUEST_NULL);
    check_status(&status, from, 3, count);
    check_filled(in, count, from);
    CHECK_EQ(MPI_Sendrecv_replace(out, count, MPI_INT, to, 4, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    check_status(&status, from, 4, count);
    check_filled(out, count, from);
    CHECK_EQ(MPI_Isendrecv_replace_c(out, count, MPI_INT, from, 5, to, 5, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    check_status(&status, to, 5, count);
    check_filled(out, count, rank);
    free(in);
    free(out);
}

/* Each part matches ordinary messages. */
static void mixed(int to, int from)
{
    int out[2] = {rank, rank}, in[2] = {-1, -1};
    MPI_Request r, plain;

    CHECK_EQ(MPI_Irecv(&in[0], 1, MPI_INT, from, 6, MPI_COMM_WORLD, &plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Isendrecv_c(&out[0], 1, MPI_INT, to, 6, &in[1], 1, MPI_INT, from, 7, MPI_COMM_WORLD, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Ssend(&out[1], 1, MPI_INT, to, 7, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&plain, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(in[0] == from && in[1] == from);
}

static void many(int to, int from)
{
    enum {
        MANY = 100
    };
    int out[MANY], in[MANY];
    MPI_Request r[MANY];

    for (int i = 0; i < MANY; i++) {
        out[i] = rank * MANY + i;
        CHECK_EQ(
            MPI_Isendrecv(&out[i], 1, MPI_INT, to, i, &in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &r[i]),
            MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    check_filled(in, MANY, from * MANY);
}

static void nobody(void)
{
    int x = 9, y = 8;
    MPI_Status status;
    MPI_Request r;

    CHECK_EQ(
        MPI_Isendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, &y, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r),
        MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    CHECK_EQ(MPI_Isendrecv(&x, 1, MPI_INT, rank, 0, &y, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    CHECK_EQ(MPI_Sendrecv_replace(&y, 1, MPI_INT, MPI_PROC_NULL, 0, rank, 0, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    check_status(&status, rank, 0, 1);
    CHECK_EQ(y, 9);
    CHECK_EQ(MPI_Isendrecv_replace(&y, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, &status), MPI_SUCCESS);
    CHECK_EQ(y, 9);
}

static void truncated(void)
{
    int x[2] = {1, 2}, y = 0;
    MPI_Status status;
    MPI_Request r;

    CHECK_EQ(MPI_Isendrecv(x, 2, MPI_INT, rank, 1, &y, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(1, &r, &status), MPI_ERR_IN_STATUS);
    CHECK_EQ(status.MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Send(x, 2, MPI_INT, rank, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv_replace(&y, 1, MPI_INT, rank, 1, rank, 1, MPI_COMM_WORLD, &status),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Recv(&y, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(y, 1);
}

int main(int argc, char **argv)
{
    int to, from;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    ring(to, from, 0);
    ring(to, from, 1);
    ring(to, from, 1 << 21);
    ring(rank, rank, 1);
    ring(rank, rank, 100000);
    mixed(to, from);
    many(to, from);
    nobody();
    truncated();
    MPI_Finalize();
    return 0;
}
