/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_no_any_source", "true");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    comm = hinted("mpi_assert_exact_length", "true");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
