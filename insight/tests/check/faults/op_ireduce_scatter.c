/* ranks: 2  fault: operation-mismatch */
#include "program.h"

int main(void)
{
    int x[2] = {0}, y;
    MPI_Request request;

    begin();
    MPI_Ireduce_scatter_block(x, &y, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD,
                              &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
