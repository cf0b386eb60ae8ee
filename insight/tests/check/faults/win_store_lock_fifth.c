/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    int *x, one = 1;
    MPI_Win win;

    begin();
    MPI_Win_allocate(8 * sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&one, 1, MPI_INT, 1, 4, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    } else {
        for (int i = 0; i < 8; i++)
            x[i] = i; /* FAULT */
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
