/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[2] = {0};
    MPI_Request request[2];

    begin();
    MPI_Isend(x, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(x, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]); /* FAULT */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
