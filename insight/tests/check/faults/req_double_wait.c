/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x = rank;
    MPI_Request request, copy;

    begin();
    if (rank == 0)
        MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    copy = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Wait(&copy, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
