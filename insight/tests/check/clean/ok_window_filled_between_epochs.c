/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x, y = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    for (int i = 0; i < 3; i++) {
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
            MPI_Win_unlock(0, win);
            MPI_Send(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* the value is there */
            MPI_Send(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
