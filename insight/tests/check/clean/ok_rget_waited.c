/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v[4] = {0};
    MPI_Request request[4];

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        for (int i = 0; i < 4; i++)
            MPI_Rget(&v[i], 1, MPI_INT, 1, i, 1, MPI_INT, win, &request[i]);
        for (int i = 0; i < 4; i++) {
            MPI_Wait(&request[i], MPI_STATUS_IGNORE);
            v[i]++;
            MPI_Put(&v[i], 1, MPI_INT, 1, i, 1, MPI_INT, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
