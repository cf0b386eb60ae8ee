/* ranks: 3 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int got[8], put[8] = {0};

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 100; i++) {
        if (rank % 2) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Get(got, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
            MPI_Win_flush_local(0, win);
            got[0]++;
            MPI_Put(got, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
            MPI_Win_unlock(0, win);
        } else {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
            MPI_Get(put, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
            MPI_Win_unlock(0, win);
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
