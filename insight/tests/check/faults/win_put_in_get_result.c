/* ranks: 2  fault: buffer */
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
        MPI_Get(&y, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Put(&y, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* FAULT */
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
