/* ranks: 3  options: --survive  fault: lost-message */
#include "survived.h"

int main(void)
{
    MPI_Comm living;

    begin_returning();
    last_dies();
    living = shrink();
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 1, living); /* FAULT */
    MPI_Barrier(living);
    MPI_Comm_free(&living);
    MPI_Finalize();
    return 0;
}
