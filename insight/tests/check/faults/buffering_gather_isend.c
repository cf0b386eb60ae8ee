/* ranks: 2  fault: buffering */
#include "program.h"

int main(void)
{
    int x = 1, all[4] = {0};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Gather(&x, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD); /* FAULT */
        MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Gather(&x, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
