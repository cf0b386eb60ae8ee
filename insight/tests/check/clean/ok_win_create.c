/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[4] = {0}, y = 1;
    MPI_Win win;

    begin();
    MPI_Win_create(x, sizeof x, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&y, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
