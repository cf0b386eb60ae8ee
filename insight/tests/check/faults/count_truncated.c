/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[4] = {0};

    begin();
    if (rank == 0)
        MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(x, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
