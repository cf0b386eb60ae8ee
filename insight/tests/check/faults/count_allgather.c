/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[2] = {0}, y[8];

    begin();
    MPI_Allgather(x, rank + 1, MPI_INT, y, rank + 1, MPI_INT, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
