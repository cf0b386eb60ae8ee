/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    MPI_Request request;

    begin();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Request_free(&request); /* FAULT */
    MPI_Finalize();
    return 0;
}
