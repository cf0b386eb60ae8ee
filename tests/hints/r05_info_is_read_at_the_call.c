/* ranks: 1 2 4 */
/* R5: the info argument is read before the call returns: what becomes of it afterwards does not matter,
 * for nonblocking calls too. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;
    MPI_Request request;
    MPI_Info info;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    info = info_with(NO_ANY_TAG, "true");
    CHECK_EQ(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &a, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, NO_ANY_TAG, "false"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, EXACT_LENGTH, "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_HINT(a, NO_ANY_TAG, "true");
    CHECK_HINT(a, EXACT_LENGTH, "false");

    info = info_with(NO_ANY_SOURCE, "true");
    CHECK_EQ(MPI_Comm_set_info(a, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, NO_ANY_SOURCE, "false"), MPI_SUCCESS);
    CHECK_HINT(a, NO_ANY_SOURCE, "true");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
