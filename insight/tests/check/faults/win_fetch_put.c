/* ranks: 3  fault: rma-conflict */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x, y = 1, old = 0;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 1)
        MPI_Fetch_and_op(&y, &old, MPI_INT, 0, 0, MPI_SUM, win);
    if (rank == 2)
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
