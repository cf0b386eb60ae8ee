/* ranks: 3 */
#include "program.h"

/* Each rank stores in its part while others put, accumulate and get in theirs; and in all of it between two fences without accesses. */
int main(void)
{
    MPI_Win win;
    int *mem, x, y = 0, right;

    begin();
    right = (rank + 1) % size;
    MPI_Win_allocate(40 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    memset(mem, 0, 40 * sizeof *mem);
    for (int i = 0; i < 10; i++) {
        MPI_Win_fence(0, win);
        x = i + rank;
        MPI_Put(&x, 1, MPI_INT, right, 3 + i, 1, MPI_INT, win);
        MPI_Accumulate(&x, 1, MPI_INT, 0, 30, 1, MPI_INT, MPI_SUM, win);
        MPI_Get(&y, 1, MPI_INT, right, 20, 1, MPI_INT, win);
        mem[21 + i % 3] = mem[25] + i;
        MPI_Win_fence(0, win);
        for (int k = 0; k < 40; k++)
            mem[k] += y;
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
