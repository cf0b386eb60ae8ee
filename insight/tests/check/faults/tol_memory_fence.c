/* ranks: 2  fault: tolerance  says: no lock is held on the window */
#include "program.h"

int main(void)
{
    int *base;
    MPI_Win win;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    MPI_Win_sync(win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
