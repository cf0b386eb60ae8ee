/* ranks: 2  fault: buffer  says: reads */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[2] = {0}, y[2] = {0};

    begin();
    MPI_Ibcast(x, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Recv(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    else
        MPI_Send(y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
