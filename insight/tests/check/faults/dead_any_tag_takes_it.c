/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    MPI_Request request[2];
    int x[2] = {0};

    begin();
    if (rank == 0) {
        MPI_Irecv(&x[0], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&x[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* FAULT */
    } else {
        MPI_Send(&x[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(&x[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
