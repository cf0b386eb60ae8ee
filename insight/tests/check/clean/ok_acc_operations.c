/* ranks: 3 */
#include "program.h"

/* Other operations after a synchronization or under an exclusive lock; reads, replacements and swaps at any time; other elements. */
int main(void)
{
    int *mem, value = 2, old, zero = 0;
    MPI_Win win;

    begin();
    MPI_Win_allocate(8 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    memset(mem, 0, 8 * sizeof *mem);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, rank ? MPI_SUM : MPI_PROD, win);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_MAX, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_MIN, win);
    MPI_Win_unlock(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 6, rank == 0 ? MPI_SUM : MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    if (rank == 1)
        MPI_Compare_and_swap(&value, &zero, &old, MPI_INT, 0, 7, win);
    if (rank == 2)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 7, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
