/* ranks: 2  fault: buffer  line: guards */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[4] = {1, 2, 3, 4}, y[4], counts[2] = {1, 1}, displs[2] = {0, 2};

    begin();
    MPI_Ialltoallv(x, counts, displs, MPI_INT, y, counts, displs, MPI_INT, MPI_COMM_WORLD, &request);
    x[2] = 5; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
