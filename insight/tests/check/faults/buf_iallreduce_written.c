/* ranks: 3  fault: buffer  says: the buffer of */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x = 1, sum = 0;

    begin();
    MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* FAULT */
    if (rank == 2)
        sum = 77;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
