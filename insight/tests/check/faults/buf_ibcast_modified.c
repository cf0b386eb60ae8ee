/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[4] = {1};
    MPI_Request request;

    begin();
    MPI_Iallreduce(MPI_IN_PLACE, x, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Bcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
