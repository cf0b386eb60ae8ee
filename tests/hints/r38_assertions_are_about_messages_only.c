/* ranks: 2 3 4 */
/* R38: exact_length and allow_overtaking cover point-to-point messages of their communicator: not its
 * collectives, not other communicators. */
#include "hints.h"

enum {
    COUNT = 5000,
    ROUNDS = 50
};

int main(int argc, char **argv)
{
    static int many[COUNT];
    MPI_Comm a, b;
    int rank, size, sum = 0, in[2];

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_with_hint(MPI_COMM_WORLD, EXACT_LENGTH, "true");
    set_hint(a, OVERTAKING, "true");
    b = dup_of(a);
    rank = rank_in(a);
    size = size_of(a);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, a), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    if (rank == 0)
        for (int i = 0; i < COUNT; i++)
            many[i] = i;
    CHECK_EQ(MPI_Bcast(many, COUNT, MPI_INT, 0, a), MPI_SUCCESS);
    CHECK_EQ(many[COUNT - 1], COUNT - 1);
    CHECK_EQ(MPI_Gather(&rank, 1, MPI_INT, many, 1, MPI_INT, 0, a), MPI_SUCCESS);
    CHECK_EQ(many[size - 1], size - 1);
    if (rank == 1) /* in order, and short: the dup asserts nothing */
        for (int i = 0; i < ROUNDS; i++)
            CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, 0, b), MPI_SUCCESS);
    for (int i = 0; rank == 0 && i < ROUNDS; i++) {
        CHECK_EQ(MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, b, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(in[0], i);
    }
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
