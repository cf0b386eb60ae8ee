/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_no_any_tag", "true");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Recv_init(&x, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &request); /* FAULT */
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
