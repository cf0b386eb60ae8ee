/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[2] = {0}, flag;
    MPI_Status status[2];
    MPI_Request request[2];

    begin();
    MPI_Send_init(&x[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&x[1], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Wait(&request[0], &status[0]); /* the statuses are empty */
    MPI_Waitall(2, request, status);
    MPI_Testall(2, request, &flag, status);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return status[0].MPI_SOURCE == MPI_ANY_SOURCE && flag ? 0 : 1;
}
