/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    static char x[4 << 20];

    begin();
    MPI_Send(x, sizeof x, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Recv(x, sizeof x, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
