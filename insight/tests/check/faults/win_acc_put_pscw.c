/* ranks: 3  fault: rma-conflict */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x;
    MPI_Group world, group;
    int target = 0, origins[2] = {1, 2};

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, rank ? 1 : 2, rank ? &target : origins, &group);
    if (rank == 0) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(group, 0, win);
        if (rank == 1)
            MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        else
            MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /* FAULT */
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
