/* ranks: 1 2 */
/* R7: each get_info gives a new info of the caller; editing or freeing it changes no hint. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Info a, b;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_info(MPI_COMM_WORLD, &a), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_info(MPI_COMM_WORLD, &b), MPI_SUCCESS);
    CHECK(a != b);
    CHECK_EQ(MPI_Info_set(a, NO_ANY_TAG, "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_delete(a, KINDS), MPI_SUCCESS);
    CHECK_STR(value_of(b, NO_ANY_TAG), "false");
    check_defaults(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Info_free(&a), MPI_SUCCESS);
    CHECK(a == MPI_INFO_NULL);
    CHECK_STR(value_of(b, NO_ANY_TAG), "false");
    CHECK_EQ(MPI_Info_free(&b), MPI_SUCCESS);
    check_defaults(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
