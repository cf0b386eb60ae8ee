/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Get(&v, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Send(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* FAULT */
    } else {
        MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
