/* ranks: 2  fault: hint  says: of MPI_Alloc_mem */
#include "program.h"

int main(void)
{
    int x = 0, *buffer;
    MPI_Comm comm;

    begin();
    MPI_Alloc_mem(sizeof *buffer, MPI_INFO_NULL, &buffer);
    *buffer = 1;
    comm = hinted("mpi_assert_memory_alloc_kinds", "system");
    MPI_Allreduce(buffer, &x, 1, MPI_INT, MPI_SUM, comm); /* FAULT */
    MPI_Free_mem(buffer);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
