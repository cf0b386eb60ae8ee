/* ranks: 3 */
#include "program.h"

int main(void)
{
    int *x, one = 1, old;
    MPI_Request request;
    MPI_Win win;

    begin();
    MPI_Win_allocate(4 * sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Rget(&old, 1, MPI_INT, 0, 1, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Get(&old, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
        MPI_Win_flush_local(0, win);
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 3, MPI_SUM, win);
        MPI_Win_flush_local_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        for (int i = 0; i < 4; i++)
            MPI_Put(&one, 1, MPI_INT, 0, i, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
