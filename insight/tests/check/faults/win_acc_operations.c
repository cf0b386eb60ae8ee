/* ranks: 3  fault: rma-conflict  says: their operations differ */
#include "program.h"

int main(void)
{
    int *mem, value = 3;
    MPI_Win win;

    begin();
    MPI_Win_allocate(sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    *mem = 1;
    MPI_Win_fence(0, win);
    if (rank > 0)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, rank == 1 ? MPI_SUM : MPI_PROD, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
