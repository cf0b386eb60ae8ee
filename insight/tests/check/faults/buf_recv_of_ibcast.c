/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[2] = {0};
    MPI_Request request;

    begin();
    MPI_Ibcast(x, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 1)
        MPI_Recv(x + 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    else
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
