/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = 1;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    memset(x, 0, 64);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group group, one;
    int other = 1 - rank;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_incl(group, 1, &other, &one);
    for (int i = 0; i < 5; i++) {
        if (rank == 0) {
            MPI_Win_start(one, 0, win);
            MPI_Put(&v, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
            MPI_Win_complete(win);
        } else {
            MPI_Win_post(one, 0, win);
            MPI_Win_wait(win);
        }
    }
    MPI_Group_free(&one);
    MPI_Group_free(&group);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
