/* ranks: 2  fault: rma-conflict */
#include "program.h"

/* A collective sends from the window while another rank's put is under way. */
int main(void)
{
    int *mem, values[4] = {1, 2, 3, 4}, sums[4];
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    memset(mem, 0, 4 * sizeof *mem);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
    MPI_Allreduce(mem, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
