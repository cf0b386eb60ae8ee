/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0, y = 0;
    MPI_Request request;

    begin();
    MPI_Issend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Recv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
