/* ranks: 2  fault: hint  says: that MPI has not allocated */
#include "program.h"

int main(void)
{
    int x = 0, *buffer;
    MPI_Comm comm;

    begin();
    MPI_Alloc_mem(sizeof *buffer, MPI_INFO_NULL, &buffer);
    comm = hinted("mpi_assert_memory_alloc_kinds", "mpi");
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm); /* FAULT */
    else
        MPI_Recv(buffer, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Free_mem(buffer);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
