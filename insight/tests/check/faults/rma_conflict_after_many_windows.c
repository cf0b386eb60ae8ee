/* ranks: 4  fault: rma-conflict */
#include "program.h"
int main(void)
{
    MPI_Win win;
    int *slot, one = 1;

    begin();
    for (int i = 0; i < 10000; i++) {
        MPI_Win_allocate(sizeof *slot, sizeof *slot, MPI_INFO_NULL, MPI_COMM_WORLD, &slot, &win);
        MPI_Win_free(&win);
    }
    MPI_Win_allocate(sizeof *slot, sizeof *slot, MPI_INFO_NULL, MPI_COMM_WORLD, &slot, &win);
    MPI_Win_fence(0, win);
    if (rank < 2)
        MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
