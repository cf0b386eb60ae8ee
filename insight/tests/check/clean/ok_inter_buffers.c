/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Request request[3];
    int root, x[4] = {1, 2, 3, 4}, y[4] = {0};

    begin();
    inter = between(2);
    root = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
    /* Of the ranks that are not the root, in its group, no buffer is used; the root's is read by several. */
    MPI_Ibcast(rank < 2 ? x : y, 4, MPI_INT, root, inter, &request[0]);
    if (rank == 1)
        x[2] = 5;
    if (rank == 0)
        MPI_Isend(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
    else if (rank == 1)
        MPI_Irecv(y, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(rank < 2 ? 2 : 1, request, MPI_STATUSES_IGNORE);
    /* Each rank of the other group gives its part, and has it no longer in use when the wait is over. */
    MPI_Igather(x, rank < 2 ? 4 : 2, MPI_INT, y, 2, MPI_INT, root, inter, &request[0]);
    if (rank < 2)
        x[0] = 9;
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    x[0] = y[3];
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
