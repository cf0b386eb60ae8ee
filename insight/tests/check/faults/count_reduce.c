/* ranks: 3  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[8] = {0}, y[8];

    begin();
    MPI_Reduce(x, y, rank == 2 ? 3 : 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
