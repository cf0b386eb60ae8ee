/* ranks: 3 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int zero = 0, one = 1, seen, count;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    memset(x, 0, 64);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 300; i++) {
        do {
            MPI_Compare_and_swap(&one, &zero, &seen, MPI_INT, 0, 0, win);
            MPI_Win_flush(0, win);
        } while (seen);
        MPI_Get(&count, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        count++;
        MPI_Put(&count, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
