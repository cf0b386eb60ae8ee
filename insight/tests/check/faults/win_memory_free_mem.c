/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *memory;

    begin();
    MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    MPI_Free_mem(memory); /* FAULT */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
