/* ranks: 2  fault: rma-conflict */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = rank, u = 0;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(&v, 1, MPI_INT, rank, 3, 1, MPI_INT, win);
    MPI_Get(&u, 1, MPI_INT, rank, 3, 1, MPI_INT, win); /* FAULT */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
