/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[3] = {0};
    MPI_Request request[3];

    begin();
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            MPI_Send_init(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Recv_init(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
    }
    MPI_Startall(2, request);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE); /* the last one is inactive */
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);     /* as this one is now */
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&request[i]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE); /* null */
    MPI_Finalize();
    return 0;
}
