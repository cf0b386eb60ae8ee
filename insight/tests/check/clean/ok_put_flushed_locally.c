/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = 0;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        for (int i = 0; i < 8; i++) {
            v = i;
            MPI_Put(&v, 1, MPI_INT, 1, i, 1, MPI_INT, win);
            MPI_Win_flush_local(1, win);
        }
        for (int i = 0; i < 8; i++)
            MPI_Accumulate(&v, 1, MPI_INT, 1, 9, 1, MPI_INT, MPI_SUM, win); /* reading one buffer is free */
        MPI_Win_flush_local_all(win);
        v = 9;
        MPI_Get(&v, 1, MPI_INT, 1, 12, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
        v++;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
