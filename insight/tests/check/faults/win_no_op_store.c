/* ranks: 2  fault: rma-conflict  needs: guards */
#include "program.h"

int main(void)
{
    volatile int *base;
    int y = 0;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&base, &win);
    base[0] = 0;
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Fetch_and_op(NULL, &y, MPI_INT, 1, 0, MPI_NO_OP, win);
    else
        base[0] = 7; /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
