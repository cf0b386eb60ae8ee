/* ranks: 1 2 also: INKLING_EAGER_LIMIT=0 */
/* A process that sends to itself, on MPI_COMM_SELF and MPI_COMM_WORLD, small and large. */
#include "p2p.h"

enum {
    MOST = 3 << 20
};
static unsigned char *out, *in;

static void exchange(MPI_Comm comm, int me, int bytes)
{
    MPI_Request requests[2];
    MPI_Status status;

    fill(out, (size_t)bytes, 1);
    memset(in, 0, MOST);
    CHECK_EQ(MPI_Sendrecv(out, bytes, MPI_BYTE, me, 1, in, bytes, MPI_BYTE, me, 1, comm, &status),
             MPI_SUCCESS);
    CHECK_STATUS(&status, me, 1, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 1), -1);

    fill(out, (size_t)bytes, 2);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, me, 2, comm, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, 2, comm, &requests[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 2), -1);

    fill(out, (size_t)bytes, 3);
    CHECK_EQ(MPI_Irecv(in, MOST, MPI_BYTE, me, MPI_ANY_TAG, comm, &requests[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Issend(out, bytes, MPI_BYTE, me, 3, comm, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&requests[1], &status), MPI_SUCCESS);
    CHECK_STATUS(&status, me, 3, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 3), -1);
}

/* Small sends to oneself complete without a receive, and keep their order. */
static void many(void)
{
    int got;

    for (int i = 0; i < 1000; i++)
        CHECK_EQ(MPI_Send(&i, i % 2, MPI_INT, 0, i % 7, MPI_COMM_SELF), MPI_SUCCESS);
    for (int i = 0; i < 1000; i++) {
        MPI_Status status;

        got = i;
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status),
                 MPI_SUCCESS);
        CHECK_STATUS(&status, 0, i % 7, i % 2 * 4);
        CHECK_EQ(got, i);
    }
}

static int receive(int tag, MPI_Status *status)
{
    int got = -1;

    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, tag, MPI_COMM_SELF, status), MPI_SUCCESS);
    return got;
}

/* What MPI_Sendrecv sends comes after what was sent before, small or large. */
static void behind_others(void)
{
    int first = 1, second = 2, got = 0;
    MPI_Request request;
    MPI_Status status;

    CHECK_EQ(MPI_Send(&first, 1, MPI_INT, 0, 4, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(&second, 1, MPI_INT, 0, 4, &got, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &status),
             MPI_SUCCESS);
    CHECK_EQ(got, 1);
    CHECK_EQ(receive(4, &status), 2);

    CHECK_EQ(MPI_Issend(&first, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(&second, 1, MPI_INT, 0, 4, &got, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &status),
             MPI_SUCCESS);
    CHECK_EQ(got, 1);
    CHECK_EQ(receive(4, &status), 2);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);

    fill(out, MOST, 4);
    CHECK_EQ(MPI_Isend(out, MOST, MPI_BYTE, 0, 4, MPI_COMM_SELF, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(&second, 4, MPI_BYTE, 0, 4, in, MOST, MPI_BYTE, 0, 4, MPI_COMM_SELF, &status),
             MPI_SUCCESS);
    CHECK_STATUS(&status, 0, 4, MOST);
    CHECK_EQ(find_wrong(in, MOST, 4), -1);
    CHECK_EQ(receive(4, &status), 2);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* Small and large messages keep their order, whether they wait or find their receive. */
static void in_order(void)
{
    MPI_Request requests[3];
    MPI_Status status;
    int small[2] = {5, 6};

    fill(out, MOST, 5);
    CHECK_EQ(MPI_Isend(&small[0], 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, MOST, MPI_BYTE, 0, 5, MPI_COMM_SELF, &requests[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(&small[1], 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[2]), MPI_SUCCESS);
    CHECK_EQ(receive(5, &status), 5);
    CHECK_EQ(MPI_Recv(in, MOST, MPI_BYTE, 0, 5, MPI_COMM_SELF, &status), MPI_SUCCESS);
    CHECK_STATUS(&status, 0, 5, MOST);
    CHECK_EQ(find_wrong(in, MOST, 5), -1);
    CHECK_EQ(receive(5, &status), 6);
    CHECK_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* A receive that is longer, shorter, of another tag or of any. */
static void other_shapes(void)
{
    int sent[2] = {7, 8}, got[2] = {0, 0};
    MPI_Status status;

    CHECK_EQ(MPI_Sendrecv(sent, 1, MPI_INT, 0, 6, got, 2, MPI_INT, 0, 6, MPI_COMM_SELF, &status),
             MPI_SUCCESS);
    CHECK_STATUS(&status, 0, 6, 4);
    CHECK_EQ(got[0] * 10 + got[1], 70);
    CHECK_EQ(MPI_Sendrecv(sent, 2, MPI_INT, 0, 6, got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF,
                          &status),
             MPI_SUCCESS);
    CHECK_STATUS(&status, 0, 6, 8);
    CHECK_EQ(got[0] * 10 + got[1], 78);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(sent, 2, MPI_INT, 0, 6, got, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &status),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(sent, 2, MPI_INT, MPI_PROC_NULL, 6, got, 1, MPI_INT, MPI_PROC_NULL, 6,
                          MPI_COMM_SELF, &status),
             MPI_SUCCESS);
    CHECK_STATUS(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 40, 41, 4096, 4097, 65536, 65537, MOST};
    char *limit = getenv("INKLING_EAGER_LIMIT");

    MPI_Init(&argc, &argv);
    set_up();
    out = malloc(MOST);
    in = malloc(MOST);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        exchange(MPI_COMM_SELF, 0, sizes[i]);
        exchange(MPI_COMM_WORLD, rank, sizes[i]);
    }
    other_shapes();
    if (!limit) {
        many();
        behind_others();
        in_order();
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
