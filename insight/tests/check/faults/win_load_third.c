/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    int x[8] = {0}, one = 1, sum = 0;
    MPI_Win win;

    begin();
    MPI_Win_create(x, sizeof x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, win);
    else
        sum = x[2] + x[3]; /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
