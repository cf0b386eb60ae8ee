/* ranks: 2  fault: type-mismatch */
#include "program.h"

/* Both sides of a put are in the origin's arguments. */
int main(void)
{
    int values[4] = {1, 2, 3, 4};
    float *mem;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_FLOAT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
