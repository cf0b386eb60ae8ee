/* ranks: 3  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    int x = 1, y = 0;

    begin();
    if (rank == 2)
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
