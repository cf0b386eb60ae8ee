/* ranks: 3  fault: rma-conflict */
#include "program.h"

int main(void)
{
    int *x, one = 1;
    MPI_Win win;

    begin();
    MPI_Win_allocate(sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 1)
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Get(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
