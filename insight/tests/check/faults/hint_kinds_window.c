/* ranks: 2  fault: hint  says: that MPI has not allocated */
#include "program.h"

int main(void)
{
    int x = 0, *base;
    MPI_Info info;
    MPI_Win win;

    begin();
    info = info_with("mpi_assert_memory_alloc_kinds", "mpi:win_allocate");
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
