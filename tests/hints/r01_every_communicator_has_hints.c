/* ranks: 1 2 4 */
/* R1: every communicator has its own hints from creation on, the predefined ones right after MPI_Init. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm dup, half;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    check_defaults(MPI_COMM_WORLD);
    check_defaults(MPI_COMM_SELF);
    dup = dup_of(MPI_COMM_SELF);
    check_defaults(dup);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) % 2, 0, &half), MPI_SUCCESS);
    check_defaults(half);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
