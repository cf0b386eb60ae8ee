/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    int x = 1, y = 0;

    begin();
    if (rank == 0)
        MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Exscan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
