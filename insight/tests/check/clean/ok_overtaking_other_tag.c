/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Comm comm;
    MPI_Status status;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 5, comm);
        MPI_Send(&x, 1, MPI_INT, 1, 7, comm);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &status);
        MPI_Recv(&x, 1, MPI_INT, 0, status.MPI_TAG == 5 ? 7 : 5, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
