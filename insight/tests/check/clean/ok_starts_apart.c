/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_Request request[2];
    int x = 1, y[2];

    begin();
    MPI_Allreduce_init(&x, &y[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Allreduce_init(&x, &y[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < 3; i++) {
        if (rank == 1 && i == 1)
            sleep(3); /* the others wait for it, and it comes */
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
