/* ranks: 2 */
/* R29: what set_info gave is in force for operations that start after it; a receive that was posted before
 * keeps the old rules, though its message comes later. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;
    int rank, in[2] = {0, 0}, out = 41;
    MPI_Request posted[2];
    MPI_Status status;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    rank = rank_in(a);
    CHECK_EQ(MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN), MPI_SUCCESS);
    if (rank == 0) {
        CHECK_EQ(MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 1, a, &posted[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Irecv(in, 2, MPI_INT, 1, 2, a, &posted[1]), MPI_SUCCESS);
    }
    set_hint(a, NO_ANY_SOURCE, "true");
    set_hint(a, EXACT_LENGTH, "true");
    CHECK_HINT(a, NO_ANY_SOURCE, "true");
    if (rank == 1) {
        CHECK_EQ(MPI_Send(&out, 1, MPI_INT, 0, 1, a), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&out, 1, MPI_INT, 0, 2, a), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&out, 1, MPI_INT, 0, 3, a), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Wait(&posted[0], &status), MPI_SUCCESS);
        CHECK_EQ(status.MPI_SOURCE, 1);
        CHECK_EQ(MPI_Wait(&posted[1], &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, a, &status), MPI_ERR_RANK);
        CHECK_EQ(MPI_Recv(in, 2, MPI_INT, 1, 3, a, &status), MPI_ERR_TRUNCATE);
    }
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
