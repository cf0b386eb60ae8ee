/* ranks: 2 */
#include "program.h"

int main(void)
{
    int length = 100, data[100] = {0};
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Ssend(&length, 1, MPI_INT, 1, 0, comm);
        MPI_Send(data, length, MPI_INT, 1, 0, comm);
    } else {
        MPI_Recv(&length, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Recv(data, length, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
