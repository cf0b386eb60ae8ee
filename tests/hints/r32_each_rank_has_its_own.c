/* ranks: 1 2 4 */
/* R32: hints without a rule of sameness are each rank's own, in its reports and in what they do. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;
    int rank, in = -1;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    a = dup_with_hint(MPI_COMM_WORLD, NO_ANY_SOURCE, rank % 2 ? "true" : "false");
    CHECK_EQ(MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (int i = 0; i < ASSERTIONS; i++)
        if (strcmp(assertions[i], STRICT) != 0 && strcmp(assertions[i], NO_ANY_SOURCE) != 0) {
            set_hint(a, assertions[i], rank == 0 ? "true" : "false");
            CHECK_HINT(a, assertions[i], rank == 0 ? "true" : "false");
            set_hint(a, assertions[i], "false");
        }
    set_hint(a, ASSERTED_KINDS, rank == 0 ? "system" : "mpi,system");
    CHECK_HINT(a, ASSERTED_KINDS, rank == 0 ? "system" : "mpi,system");
    if (rank % 2) {
        CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, a, MPI_STATUS_IGNORE), MPI_ERR_RANK);
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, rank - 1, 0, a), MPI_SUCCESS);
    } else if (rank + 1 < size_of(a)) {
        CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, a, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(in, rank + 1);
    }
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
