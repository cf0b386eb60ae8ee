/* ranks: 2  fault: buffer */
#include "program.h"

/* Large memory is given back to the system: the library below ends with a fault. */
int main(void)
{
    int n = 50000, *values = calloc(n, sizeof *values);
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Issend(values, n, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        free(values);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    } else {
        usleep(300000);
        MPI_Recv(values, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(values);
    }
    MPI_Finalize();
    return 0;
}
