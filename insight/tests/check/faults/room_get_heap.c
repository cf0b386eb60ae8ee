/* ranks: 2  fault: buffer  says: is 40 bytes long */
#include "program.h"

int main(void)
{
    int *base, *got = malloc(16);
    MPI_Win win;

    begin();
    MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Get(got, 10, MPI_INT, 1, 0, 10, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(got);
    MPI_Finalize();
    return 0;
}
