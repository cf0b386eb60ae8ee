/* ranks: 2  fault: tolerance */
#include "program.h"

int main(void)
{
    int x = 1;

    begin();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Recv(&x, sizeof x, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
