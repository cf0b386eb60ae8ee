/* ranks: 4  options: --survive  fault: deadlock */
#include "survived.h"

/* The two that live wait for each other. */
int main(void)
{
    int value;

    begin_returning();
    if (rank == 2)
        die();
    last_dies();
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
