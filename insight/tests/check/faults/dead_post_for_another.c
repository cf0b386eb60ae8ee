/* ranks: 3  fault: deadlock */
#include "program.h"

int main(void)
{
    MPI_Win win;
    MPI_Group world, one;
    int *x, y = 1, who;

    begin();
    who = rank == 0 ? 2 : 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &who, &one);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    if (rank == 0) {
        MPI_Win_post(one, 0, win); /* for rank 2 */
        MPI_Win_wait(win);         /* FAULT */
    } else if (rank == 1) {
        MPI_Win_start(one, 0, win);
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&one);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
