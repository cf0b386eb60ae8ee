/* ranks: 1 2 */
/* R17: set_info changes the keys that it is given and no others. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;
    MPI_Info empty;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_with_hint(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    set_hint(a, EXACT_LENGTH, "true");
    CHECK_HINT(a, NO_ANY_TAG, "true");
    CHECK_HINT(a, EXACT_LENGTH, "true");
    CHECK_HINT(a, NO_ANY_SOURCE, "false");
    CHECK_HINT(a, OVERTAKING, "false");
    CHECK_EQ(MPI_Comm_set_info(a, MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&empty), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(a, empty), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&empty), MPI_SUCCESS);
    CHECK_HINT(a, NO_ANY_TAG, "true");
    CHECK_HINT(a, EXACT_LENGTH, "true");
    set_hint(a, NO_ANY_TAG, "false");
    CHECK_HINT(a, NO_ANY_TAG, "false");
    CHECK_HINT(a, EXACT_LENGTH, "true");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
