/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

/* The target loads in no epoch, and nothing tells it that the put is there. */
int main(void)
{
    int *mem, value = 7, seen = 0;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    mem[2] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    } else {
        seen = mem[2]; /* FAULT */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return seen > 7;
}
