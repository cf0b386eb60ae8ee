/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x;
    int y = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_sync(win);
        MPI_Send(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* after the put */
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
