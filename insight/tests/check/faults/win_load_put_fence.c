/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *mem, x = 5, seen = 0;

    begin();
    MPI_Win_allocate(sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    *mem = rank;
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    else
        seen = *mem; /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return seen > 5;
}
