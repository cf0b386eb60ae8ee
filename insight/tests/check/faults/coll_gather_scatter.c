/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    int x = 1, all[2] = {0};

    begin();
    if (rank == 0)
        MPI_Gather(&x, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Scatter(all, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
