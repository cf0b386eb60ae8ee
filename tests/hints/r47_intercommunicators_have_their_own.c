/* ranks: 2 3 4 */
/* R47: an intercommunicator has hints of its own in each process; those of the two groups may differ, and
 * differ from both local communicators'. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm local, inter;
    int rank, half, side, in = -1;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    half = size_of(MPI_COMM_WORLD) / 2;
    side = rank >= half;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &local), MPI_SUCCESS);
    set_hint(local, EXACT_LENGTH, "true");
    CHECK_EQ(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, side ? 0 : half, 1, &inter), MPI_SUCCESS);
    check_defaults(inter);
    CHECK_EQ(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN), MPI_SUCCESS);

    set_hint(inter, NO_ANY_SOURCE, side ? "true" : "false");
    CHECK_HINT(inter, NO_ANY_SOURCE, side ? "true" : "false");
    CHECK_HINT(local, NO_ANY_SOURCE, "false");
    CHECK_HINT(inter, EXACT_LENGTH, "false");
    if (rank == half) {
        CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, MPI_STATUS_IGNORE), MPI_ERR_RANK);
        CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, 0, 3, inter, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, 0, 4, inter), MPI_SUCCESS);
    } else if (rank == 0) {
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, 0, 3, inter), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(in, half);
    }
    CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&local), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
