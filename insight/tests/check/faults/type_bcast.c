/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    double x[4] = {0};

    begin();
    if (rank == 0)
        MPI_Bcast(x, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Bcast(x, 4, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
