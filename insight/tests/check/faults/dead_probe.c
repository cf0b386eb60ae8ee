/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    MPI_Probe(1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
