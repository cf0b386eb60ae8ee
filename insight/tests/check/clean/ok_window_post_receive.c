/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    MPI_Group world, other;
    int *x, y = 1, who = 1 - rank;

    begin();
    who = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &who, &other);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    for (int i = 0; i < 3; i++) {
        if (rank == 0) {
            MPI_Recv(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_post(other, 0, win);
            MPI_Win_wait(win);
            MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Send(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Win_start(other, 0, win);
            MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
            MPI_Win_complete(win);
            MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
