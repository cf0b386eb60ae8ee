/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request, copy;

    begin();
    MPI_Send_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    copy = request;
    MPI_Request_free(&request);
    MPI_Start(&copy); /* FAULT */
    MPI_Finalize();
    return 0;
}
