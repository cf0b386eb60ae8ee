/* ranks: 2 */
#include "program.h"

/* Loops that wait for a flag and find it there when they first look: by loads, and by MPI_Get. */
int main(void)
{
    int one = 1, data = 42, got = 0;
    volatile int *mem;
    MPI_Win win;

    begin();
    MPI_Win_allocate(3 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    mem[0] = mem[1] = mem[2] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Put(&data, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
        do {
            MPI_Get(&got, 1, MPI_INT, 1, 2, 1, MPI_INT, win);
            MPI_Win_flush(1, win);
        } while (got != 1);
    } else {
        usleep(100000);
        while (mem[0] != 1)
            ;
        if (mem[1] != 42)
            MPI_Abort(MPI_COMM_WORLD, 1);
        mem[2] = 1;
        MPI_Win_sync(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
