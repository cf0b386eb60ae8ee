/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[8] = {0}, y[8];

    begin();
    MPI_Scatter(x, 2, MPI_INT, y, rank ? 2 : 3, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
