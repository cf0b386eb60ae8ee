/* ranks: 2  fault: rma-conflict */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x;
    int y = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* FAULT */
    } else {
        int z;

        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Recv(&z, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
