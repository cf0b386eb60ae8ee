/* ranks: 1 2 4 */
/* R16: set_info is collective, but each rank may bring its own info or none, and hints
 * without a rule of sameness are each rank's own. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a, b;
    MPI_Info info;
    int rank;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    rank = rank_in(a);
    if (rank % 2) {
        CHECK_EQ(MPI_Comm_set_info(a, MPI_INFO_NULL), MPI_SUCCESS);
    } else {
        info = info_with(rank % 4 ? NO_ANY_TAG : EXACT_LENGTH, "true");
        CHECK_EQ(MPI_Comm_set_info(a, info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    CHECK_HINT(a, EXACT_LENGTH, rank % 4 == 0 ? "true" : "false");
    CHECK_HINT(a, NO_ANY_TAG, rank % 4 == 2 ? "true" : "false");
    if (rank % 2)
        check_defaults(a);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);

    b = dup_with_hint(MPI_COMM_WORLD, NO_ANY_SOURCE, rank % 2 ? "true" : "false");
    CHECK_HINT(b, NO_ANY_SOURCE, rank % 2 ? "true" : "false");
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
