/* ranks: 2  fault: root-mismatch */
#include "program.h"

int main(void)
{
    int x = 0, all[2] = {0};
    MPI_Request request = MPI_REQUEST_NULL;

    begin();
    MPI_Scatter(all, 1, MPI_INT, &x, 1, MPI_INT, 1 - rank, MPI_COMM_WORLD); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    (void)x;
    (void)all;
    MPI_Finalize();
    return 0;
}
