/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_Request request[3];
    int x[4] = {0}, y[4] = {0}, z[4] = {0};

    begin();
    MPI_Ibcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Ibcast(rank ? y : x, 4, MPI_INT, 0, MPI_COMM_WORLD, &request[1]); /* the root's buffer is only read */
    if (rank == 0)
        MPI_Isend(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[2]);
    else if (rank == 1)
        MPI_Irecv(z, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Waitall(rank < 2 ? 3 : 2, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
