/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x[2] = {0};
    MPI_Request request[2];

    begin();
    MPI_Send_init(&x[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&x[1], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* FAULT */
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
