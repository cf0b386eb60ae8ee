/* ranks: 2  fault: operation-mismatch */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Iallreduce(&rank, &x, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
