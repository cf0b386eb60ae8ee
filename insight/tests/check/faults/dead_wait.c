/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0, y = 0;
    MPI_Request request;

    begin();
    MPI_Irecv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
