/* ranks: 3  options: --survive  fault: operation-mismatch */
#include "survived.h"

int main(void)
{
    int sum;
    MPI_Comm living;

    begin_returning();
    last_dies();
    living = shrink();
    if (rank == 0)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, living);
    else
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, living); /* FAULT */
    MPI_Comm_free(&living);
    MPI_Finalize();
    return 0;
}
