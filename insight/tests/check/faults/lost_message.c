/* ranks: 2  fault: lost-message */
#include "program.h"

int main(void)
{
    int x = 1;

    begin();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
