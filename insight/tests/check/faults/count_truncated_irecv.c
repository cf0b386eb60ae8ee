/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[4] = {0};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(x, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* FAULT */
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
