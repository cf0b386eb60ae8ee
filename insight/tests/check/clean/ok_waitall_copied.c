/* ranks: 2. Handles that a program copies: a library may give requests that were complete at once one handle. Origin and result beside each other. */
#include "program.h"

int main(void)
{
    int x = 1, y[3], memory[4] = {0}, pair[2] = {1, 1};
    MPI_Request request[6], one;
    MPI_Win win;

    begin();
    for (int i = 0; i < 3; i++) {
        MPI_Isend(&x, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &one);
        request[i] = one;
    }
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&y[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request[3 + i]);
    MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
    MPI_Fetch_and_op(&pair[0], &pair[1], MPI_INT, 1 - rank, 0, MPI_SUM, win);
    MPI_Win_flush(1 - rank, win);
    MPI_Fetch_and_op(&pair[0], &pair[0], MPI_INT, 1 - rank, 0, MPI_NO_OP, win);
    MPI_Win_unlock(1 - rank, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
