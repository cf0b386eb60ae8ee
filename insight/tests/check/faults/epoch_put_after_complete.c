/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    MPI_Win win;
    MPI_Group world, one;
    int *x, y = 1, who;

    begin();
    who = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &who, &one);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    if (rank == 0) {
        MPI_Win_post(one, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(one, 0, win);
        MPI_Win_complete(win);
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
    }
    MPI_Win_free(&win);
    MPI_Group_free(&one);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
