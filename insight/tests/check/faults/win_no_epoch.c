/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = rank;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
