/* ranks: 2  fault: rma-conflict  says: a store of rank 1 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *mem, x[10];

    begin();
    for (int i = 0; i < 10; i++)
        x[i] = 100 + i;
    MPI_Win_allocate(sizeof x, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    memset(mem, 0, sizeof x);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        usleep(20000);
        MPI_Put(x, 10, MPI_INT, 1, 0, 10, MPI_INT, win); /* FAULT */
    } else {
        mem[7] = 1234;
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
