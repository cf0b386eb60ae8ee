/* ranks: 1 2 4 */
/* Communicator hints in the info of MPI_Comm_split_type belong to the new communicator; the keys of the
 * call itself do not. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;
    MPI_Info info;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    info = info_with(NO_ANY_SOURCE, "true");
    CHECK_EQ(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &a), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK(a != MPI_COMM_NULL);
    CHECK_HINT(a, NO_ANY_SOURCE, "true");
    CHECK_NO_HINT(a, "mpi_hw_resource_type");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
