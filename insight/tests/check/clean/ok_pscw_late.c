/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    MPI_Group world, some;
    int other;

    begin();
    other = 1 - rank;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &some);
    if (rank == 0) {
        MPI_Win_start(some, 0, win);
        MPI_Put(&rank, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
        MPI_Win_complete(win); /* waits for two seconds */
    } else {
        sleep(2);
        MPI_Win_post(some, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
