/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Isend(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
