/* ranks: 3  fault: rma-conflict */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x;
    int y = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Recv(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    else if (rank == 1)
        MPI_Send(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
