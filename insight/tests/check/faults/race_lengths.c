/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int x[8] = {0};

    begin();
    if (rank == 0) {
        MPI_Recv(x, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Recv(x, 8, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        usleep(rank == 2 ? 100000 : 0);
        MPI_Send(x, 4 * rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
