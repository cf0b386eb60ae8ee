/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Cancel(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
