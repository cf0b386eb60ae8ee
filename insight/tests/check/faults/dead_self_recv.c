/* ranks: 1  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
