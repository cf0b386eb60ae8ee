/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x, n, index;
    MPI_Request request;

    begin();
    MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Waitsome(1, &request, &n, &index, MPI_STATUSES_IGNORE); /* FAULT */
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
