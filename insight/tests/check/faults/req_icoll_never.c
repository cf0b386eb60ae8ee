/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x = 1;

    begin();
    MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
