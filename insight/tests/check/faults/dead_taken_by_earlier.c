/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[2] = {0};

    begin();
    if (rank == 0) {
        MPI_Irecv(&x[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Recv(&x[1], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&x[0], 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
