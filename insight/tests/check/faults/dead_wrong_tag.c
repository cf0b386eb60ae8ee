/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
