/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    MPI_Win other;
    int *y;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &y, &other);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, rank == 0 ? win : other);
    MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, rank == 0 ? win : other);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, rank == 0 ? other : win); /* FAULT */
    MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, rank == 0 ? other : win);
    MPI_Win_unlock(0, win);
    MPI_Win_unlock(0, other);
    MPI_Win_free(&win);
    MPI_Win_free(&other);
    MPI_Finalize();
    return 0;
}
