/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int v = 0, u = 0;
    MPI_Request request[4];

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Irecv(&v, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[3]);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Win_lock_all(0, win);
    MPI_Get(&v, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Get(&v, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Rget(&u, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request[0]);
    MPI_Rget(&u, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
