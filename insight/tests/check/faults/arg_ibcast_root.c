/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Ibcast(&x, 1, MPI_INT, size, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
