/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Request request[5];
    int root, x[4] = {1, 2, 3, 4}, y[2] = {0}, sum = 0, all[4], sent = rank;

    begin();
    inter = between(2);
    root = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
    for (int i = 0; i < 3; i++) {
        MPI_Ibarrier(inter, &request[0]);
        MPI_Ibcast(y, 2, MPI_INT, root, inter, &request[1]);
        MPI_Ireduce(x, &sum, 1, MPI_INT, MPI_SUM, root, inter, &request[2]);
        MPI_Iallgather(x, 2, MPI_INT, all, 2, MPI_INT, inter, &request[3]);
        MPI_Isendrecv(&sent, 1, MPI_INT, rank % 2, 0, &x[3], 1, MPI_INT, rank % 2, 0, inter, &request[4]);
        MPI_Waitall(5, request, MPI_STATUSES_IGNORE);
    }
    MPI_Bcast_init(y, 2, MPI_INT, root, inter, MPI_INFO_NULL, &request[0]);
    MPI_Allreduce_init(x, all, 2, MPI_INT, MPI_MAX, inter, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
