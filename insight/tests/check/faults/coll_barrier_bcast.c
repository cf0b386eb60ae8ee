/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
