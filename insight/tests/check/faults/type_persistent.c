/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int x = 1;
    MPI_Request request;

    begin();
    if (rank == 0)
        MPI_Send_init(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&x, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
