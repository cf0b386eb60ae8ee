/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0;
    double d = 1;
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    for (int i = 0; i < 20; i++) {
        if (rank == 0) {
            MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
            MPI_Recv(&x, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
            MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, comm);
            MPI_Barrier(comm);
        } else {
            MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Send(&x, 1, MPI_INT, 0, 1, comm);
            MPI_Recv(&d, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Barrier(comm);
        }
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
