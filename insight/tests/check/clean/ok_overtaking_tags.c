/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 1;
    double d = 2;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Isend(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Send(&d, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&d, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
