/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    int x = 0, y = 0;
    MPI_Request request[2];

    begin();
    if (rank == 0) {
        MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    } else {
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]); /* FAULT */
        MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    }
    MPI_Startall(2, request);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
