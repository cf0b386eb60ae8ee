/* ranks: 2  fault: hint  says: relies on their order */
#include "program.h"

int main(void)
{
    int last = 0, data[100] = {0};
    MPI_Request request[2];
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Send(data, 100, MPI_INT, 1, 0, comm);
        MPI_Send(data, 1, MPI_INT, 1, 0, comm);
    } else {
        MPI_Irecv(data, 100, MPI_INT, 0, 0, comm, &request[0]);
        MPI_Irecv(&last, 1, MPI_INT, 0, 0, comm, &request[1]); /* FAULT */
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
