/* ranks: 2 */
#include "program.h"

/* A synchronous send says that the other has received it, and what it received before. */
int main(void)
{
    int length = 100, data[100] = {0};
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Ssend(&length, 1, MPI_INT, 1, 0, comm);
        MPI_Send(data, length, MPI_INT, 1, 0, comm);
        MPI_Send(&length, 1, MPI_INT, 1, 1, comm);
        MPI_Ssend(NULL, 0, MPI_INT, 1, 2, comm);
        MPI_Send(data, length, MPI_INT, 1, 1, comm);
    } else {
        for (int tag = 0; tag < 2; tag++) {
            MPI_Recv(&length, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
            if (tag == 1)
                MPI_Recv(NULL, 0, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
            MPI_Recv(data, length, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
        }
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
