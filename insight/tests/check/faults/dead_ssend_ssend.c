/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    MPI_Ssend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
