/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int x = 0, y[4] = {0};
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_no_any_tag", "true");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Sendrecv(y, 0, MPI_INT, MPI_PROC_NULL, 0, &x, 1, MPI_INT, 0, MPI_ANY_TAG, comm,
                     MPI_STATUS_IGNORE); /* FAULT */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
