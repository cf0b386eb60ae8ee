/* ranks: 2  fault: buffer  says: the buffer of */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int mem = 0, x = 3;

    begin();
    MPI_Win_create(&mem, sizeof mem, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 1) {
        MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
        x = 9;
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
