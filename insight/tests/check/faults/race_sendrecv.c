/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int x = 0, y = 0;

    begin();
    if (rank == 0) {
        MPI_Sendrecv(&y, 1, MPI_INT, 2, 1, &x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, /* FAULT */
                     MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        usleep(rank == 1 ? 100000 : 0);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 2)
            MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
