/* ranks: 1 2 4 */
/* R4: dup_with_info and idup_with_info start from the defaults and the given hints, nothing from the
 * parent; idup takes both as they are at the call. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm parent, a;
    MPI_Request request;
    MPI_Info info;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    parent = dup_with_hint(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    CHECK_HINT(parent, NO_ANY_TAG, "true");
    a = dup_with_hint(parent, NO_ANY_SOURCE, "true");
    CHECK_HINT(a, NO_ANY_SOURCE, "true");
    CHECK_HINT(a, NO_ANY_TAG, "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);

    info = info_with(EXACT_LENGTH, "true");
    CHECK_EQ(MPI_Comm_idup_with_info(parent, info, &a, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    set_hint(parent, OVERTAKING, "true");
    CHECK_HINT(a, EXACT_LENGTH, "true");
    CHECK_HINT(a, NO_ANY_TAG, "false");
    CHECK_HINT(a, OVERTAKING, "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
