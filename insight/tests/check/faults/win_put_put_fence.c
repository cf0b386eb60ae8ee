/* ranks: 3  fault: rma-conflict */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = rank;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Put(&v, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
