/* ranks: 3 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    MPI_Group world, one, others;
    int zero = 0;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &one);
    for (int i = 0; i < 100; i++) { /* each turn another origin writes the same bytes */
        int origin = 1 + i % 2;

        if (rank == 0) {
            MPI_Group_incl(world, 1, &origin, &others);
            MPI_Win_post(others, 0, win);
            MPI_Win_wait(win);
            MPI_Group_free(&others);
        } else if (rank == origin) {
            MPI_Win_start(one, 0, win);
            MPI_Put(&rank, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&one);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
