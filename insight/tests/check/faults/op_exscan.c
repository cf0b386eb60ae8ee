/* ranks: 2  fault: operation-mismatch */
#include "program.h"

int main(void)
{
    int x = 1, y = 0;

    begin();
    MPI_Exscan(&x, &y, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
