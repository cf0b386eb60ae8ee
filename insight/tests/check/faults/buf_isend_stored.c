/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[4] = {1, 2, 3, 4};

    begin();
    if (rank == 0) {
        MPI_Isend(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        memset(x, 0, sizeof x); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(x, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
