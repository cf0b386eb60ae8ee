/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x = 1, y = 0, *base;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    base[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock_all(0, win);
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* FAULT */
        MPI_Win_flush(0, win);                          /* of another target */
        x = 42;
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
