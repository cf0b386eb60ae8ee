/* ranks: 2  fault: tolerance  says: the arrays of counts, displacements or datatypes of MPI_Iallgatherv have changed since the call */
#include "program.h"

int main(void)
{
    int all[2] = {-1, -1}, counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Request request;

    begin();
    MPI_Iallgatherv(&rank, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD, &request);
    counts[1] = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return all[1] != 1;
}
