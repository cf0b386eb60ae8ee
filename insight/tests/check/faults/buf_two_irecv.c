/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[4] = {0};
    MPI_Request request[2];

    begin();
    if (rank == 0) {
        MPI_Irecv(x, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(x + 2, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]); /* FAULT */
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(x, 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(x, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
