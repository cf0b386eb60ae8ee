/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int x = 0, y[4] = {0};
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_exact_length", "true");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Recv(y, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
