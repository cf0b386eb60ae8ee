/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    double x = 1;
    uint64_t y;

    begin();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Recv(&y, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
