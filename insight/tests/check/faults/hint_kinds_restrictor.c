/* ranks: 2  fault: hint  says: of MPI_Win_allocate */
#include "program.h"

int main(void)
{
    int *base;
    MPI_Win win;
    MPI_Comm comm;

    begin();
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    comm = hinted("mpi_assert_memory_alloc_kinds", "system,mpi:alloc_mem");
    MPI_Bcast(base, 4, MPI_INT, 0, comm); /* FAULT */
    MPI_Comm_free(&comm);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
