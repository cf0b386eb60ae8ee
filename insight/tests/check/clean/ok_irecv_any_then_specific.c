/* ranks: 3 */
#include "program.h"

int main(void)
{
    int a = 0, i = 1;
    double b = 0, d = 2;
    MPI_Request request[2];

    begin();
    if (rank == 0) {
        MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&b, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(&d, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    } else {
        MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
