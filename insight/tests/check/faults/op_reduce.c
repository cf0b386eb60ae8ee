/* ranks: 2  fault: operation-mismatch */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Op op;

    begin();
    op = rank == 0 ? MPI_SUM : MPI_MAX;
    MPI_Reduce(&rank, &x, 1, MPI_INT, op, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
