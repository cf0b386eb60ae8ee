/* ranks: 2  fault: hint  says: relies on their order */
#include "program.h"

int main(void)
{
    int x = 0;
    double d = 1;
    MPI_Request request[2];
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
        MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, comm);
    } else {
        MPI_Recv_init(&x, 1, MPI_INT, 0, 0, comm, &request[0]); /* FAULT */
        MPI_Recv_init(&d, 1, MPI_DOUBLE, 0, 0, comm, &request[1]);
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Request_free(&request[0]);
        MPI_Request_free(&request[1]);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
