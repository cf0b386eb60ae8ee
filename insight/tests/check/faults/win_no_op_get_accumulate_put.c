/* ranks: 2  fault: rma-conflict */
#include "program.h"

int main(void)
{
    int x = 1, y = 0, *base;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    base[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Get_accumulate(NULL, 0, MPI_INT, &y, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, win); /* FAULT */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
