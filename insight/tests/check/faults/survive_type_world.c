/* ranks: 3  options: --survive  fault: type-mismatch */
#include "survived.h"

/* On the communicator of the dead, where two of the living go on. */
int main(void)
{
    int value = 0;
    float other;

    begin_returning();
    last_dies();
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&other, 1, MPI_FLOAT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
