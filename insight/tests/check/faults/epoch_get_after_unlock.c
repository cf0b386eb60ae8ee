/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x;
    int y;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Rget(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &(MPI_Request){0}); /* FAULT */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
