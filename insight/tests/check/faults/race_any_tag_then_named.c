/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Comm comm;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 2) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Recv(&x, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
    } else {
        usleep(rank == 0 ? 100000 : 0);
        MPI_Send(&rank, 1, MPI_INT, 2, 7, comm);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
