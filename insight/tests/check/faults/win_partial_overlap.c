/* ranks: 2  fault: rma-conflict */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int four[4] = {0};

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(four, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /* FAULT */
    else
        MPI_Get(four, 2, MPI_INT, 1, 3, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
