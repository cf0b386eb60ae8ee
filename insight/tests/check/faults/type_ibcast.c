/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    double x = 0;
    MPI_Request request;

    begin();
    if (rank == 0)
        MPI_Ibcast(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
