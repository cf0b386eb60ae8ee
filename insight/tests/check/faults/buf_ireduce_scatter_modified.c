/* ranks: 2  fault: buffer  line: guards */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[4] = {1, 2, 3, 4}, y[4], counts[2] = {1, 3};

    begin();
    MPI_Ireduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    x[3] = 9; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
