/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    int *x, one = 1, old = 0;
    MPI_Win win;

    begin();
    MPI_Win_allocate(sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    *x = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
    if (old == 1) /* FAULT */
        puts("second");
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
