/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    long x = 1;
    double y;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Isend(&x, 1, MPI_LONG, 1, 5, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(&y, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &request); /* FAULT */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
