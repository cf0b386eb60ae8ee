/* ranks: 2  fault: rma-conflict  says: a store of rank 1 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int mem[10] = {0}, x[10];

    begin();
    MPI_Win_create(mem, sizeof mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 1; i < 4; i++) {
        MPI_Win_fence(0, win);
        if (rank == 0)
            MPI_Get(x, 10, MPI_INT, 1, 0, 10, MPI_INT, win); /* FAULT */
        else
            mem[i * 2] = i;
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
