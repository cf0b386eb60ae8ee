/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[4] = {0}, y[4], counts[2] = {2, 2};

    begin();
    counts[1] -= rank;
    MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
