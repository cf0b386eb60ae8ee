/* ranks: 3 */
#include "program.h"

/* Sends of all kinds that would end without a buffer, too. */
int main(void)
{
    MPI_Request request[2];
    int x = 1, y = 0, right, left;

    begin();
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&y, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(&x, 1, MPI_INT, right, 1, &y, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&y, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Send(&x, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Isend(&x, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&y, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Isend(&x, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &request[0]);
    MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Recv(&y, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
