/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    static int x[100000];
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Isend(x, 100000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* FAULT */
        x[7] = 5;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(x, 100000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
