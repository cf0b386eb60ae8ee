/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0, y = 0;
    MPI_Request request[2];

    begin();
    MPI_Send_init(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 10; i++) {
        x = i;
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
