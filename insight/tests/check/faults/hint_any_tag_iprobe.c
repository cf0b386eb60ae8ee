/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int x = 0, flag = 0;
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_no_any_tag", "true");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Iprobe(0, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
