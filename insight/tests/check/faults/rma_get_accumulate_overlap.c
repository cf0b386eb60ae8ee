/* ranks: 2  fault: buffer  says: the origin and result buffers of MPI_Get_accumulate have bytes in common */
#include "program.h"

int main(void)
{
    int memory[4] = {0}, x[3] = {1, 2, 3};
    MPI_Win win;

    begin();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
    MPI_Get_accumulate(x, 2, MPI_INT, x + 1, 2, MPI_INT, 1 - rank, 0, 2, MPI_INT, MPI_SUM, win); /* FAULT */
    MPI_Win_unlock(1 - rank, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
