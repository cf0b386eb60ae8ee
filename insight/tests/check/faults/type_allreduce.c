/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int x = 1, y = 0;

    begin();
    MPI_Allreduce(&x, &y, 1, rank ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
