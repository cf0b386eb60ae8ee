/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = 1;
    MPI_Request request;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Rput(&v, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request); /* FAULT */
        v = 3;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
