/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
