/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x[2] = {1, 2};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Isend(&x[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* FAULT */
        MPI_Isend(&x[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&x[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&x[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
