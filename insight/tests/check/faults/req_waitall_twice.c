/* ranks: 2  fault: request  says: MPI_Waitall is given one request twice */
#include "program.h"

int main(void)
{
    int x = 1, y = 2;
    MPI_Request request[3];

    begin();
    MPI_Irecv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    request[2] = request[0];
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
