/* ranks: 3  options: --survive  fault: crash */
#include "survived.h"

/* The others go on, but that is a fault. */
int main(void)
{
    int value, *volatile nowhere = NULL;

    begin_returning();
    if (rank == 2)
        *nowhere = 1; /* FAULT */
    MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
