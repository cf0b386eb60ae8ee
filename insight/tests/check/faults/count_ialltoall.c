/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[4] = {0}, y[4];
    MPI_Request request;

    begin();
    MPI_Ialltoall(x, 1 + rank, MPI_INT, y, 1 + rank, MPI_INT, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
