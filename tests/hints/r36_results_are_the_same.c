/* ranks: 2 3 4 */
/* R36: a program that keeps what it asserts gets the same results. */
#include "hints.h"

enum {
    COUNT = 100000
};
static int out[COUNT], in[COUNT];

/* Each rank sends its neighbour `count` numbers, under several tags, received in the order of sending. */
static void ring(MPI_Comm comm, int count)
{
    int size = size_of(comm), rank = rank_in(comm), left = (rank + size - 1) % size,
        right = (rank + 1) % size;

    for (int tag = 0; tag < 4; tag++) {
        for (int i = 0; i < count; i++)
            out[i] = 1000 * rank + 10 * tag + i % 7;
        CHECK_EQ(MPI_Sendrecv(out, count, MPI_INT, right, tag, in, count, MPI_INT, left, tag, comm,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        for (int i = 0; i < count; i++)
            CHECK_EQ(in[i], 1000 * left + 10 * tag + i % 7);
    }
}

static void sum(MPI_Comm comm)
{
    int size = size_of(comm), mine = rank_in(comm), all = -1;

    CHECK_EQ(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(all, size * (size - 1) / 2);
}

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int i = 0; i <= ASSERTIONS; i++) {
        a = i < ASSERTIONS ? dup_with_hint(MPI_COMM_WORLD, assertions[i], "true") : dup_of(MPI_COMM_WORLD);
        if (i == ASSERTIONS)
            for (int j = 0; j < ASSERTIONS; j++)
                set_hint(a, assertions[j], "true");
        ring(a, 1);
        ring(a, COUNT);
        sum(a);
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
