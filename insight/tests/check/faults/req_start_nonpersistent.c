/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x = 1;
    MPI_Request request;

    begin();
    MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request); /* FAULT */
    MPI_Finalize();
    return 0;
}
