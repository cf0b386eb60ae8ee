/* ranks: 2  fault: lost-message */
#include "program.h"

int main(void)
{
    int x = 1;

    begin();
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD); /* FAULT */
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
