/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *x;
    MPI_Group group;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    if (rank == 0) {
        MPI_Win_post(group, 0, win);
        MPI_Win_post(group, 0, win); /* FAULT */
    }
    MPI_Group_free(&group);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
