/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int i = 1;
    double d = 2;

    begin();
    if (rank == 0) {
        MPI_Recv(&i, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Recv(&d, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        usleep(100000);
        MPI_Send(&d, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
