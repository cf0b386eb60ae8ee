/* ranks: 2  fault: root-mismatch */
#include "program.h"

int main(void)
{
    int x = 0, all[2] = {0}, counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Request request;

    begin();
    MPI_Iscatterv(all, counts, displs, MPI_INT, &x, 1, MPI_INT, rank, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
