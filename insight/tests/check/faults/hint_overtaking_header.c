/* ranks: 2  fault: hint  says: relies on their order */
#include "program.h"

int main(void)
{
    int length = 100, data[100] = {0};
    MPI_Request request[2];
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Isend(&length, 1, MPI_INT, 1, 3, comm, &request[0]);
        MPI_Isend(data, length, MPI_INT, 1, 3, comm, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(&length, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Recv(data, length, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
