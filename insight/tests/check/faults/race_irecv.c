/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int x[2] = {0};
    MPI_Request request[2];

    begin();
    if (rank == 0) {
        MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request[0]); /* FAULT */
        MPI_Irecv(&x[1], 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        usleep(rank == 2 ? 100000 : 0);
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
