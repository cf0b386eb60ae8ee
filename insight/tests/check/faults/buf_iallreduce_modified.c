/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x = 1, sum = 0;
    MPI_Request request;

    begin();
    MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* FAULT */
    x = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
