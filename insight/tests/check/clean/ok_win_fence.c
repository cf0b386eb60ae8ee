/* ranks: 3 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = 1, u = 0;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    memset(x, 0, 64);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++) {
        MPI_Win_fence(0, win);
        MPI_Put(&v, 1, MPI_INT, (rank + 1) % size, rank, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        MPI_Get(&u, 1, MPI_INT, (rank + 2) % size, (rank + 1) % size, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
