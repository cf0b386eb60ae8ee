/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

/* An array is loaded once while another rank adds to it. */
int main(void)
{
    int *mem, add[4] = {1, 2, 3, 4}, sum = 0;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    for (int i = 0; i < 4; i++)
        mem[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Accumulate(add, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(1, win);
    } else {
        for (int i = 0; i < 4; i++)
            sum += mem[i]; /* FAULT */
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return sum > 10;
}
