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
    if (!limit)
        many();
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
