/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 0)
        MPI_Put(&rank, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
