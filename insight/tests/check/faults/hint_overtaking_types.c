/* ranks: 2  fault: hint  says: relies on their order */
#include "program.h"

int main(void)
{
    int x = 0;
    double d = 1;
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
        MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, comm);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Recv(&d, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
