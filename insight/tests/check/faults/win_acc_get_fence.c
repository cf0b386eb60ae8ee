/* ranks: 3  fault: rma-conflict */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x, y = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Accumulate(&y, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win);
    if (rank == 2)
        MPI_Get(&y, 1, MPI_INT, 0, 3, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
