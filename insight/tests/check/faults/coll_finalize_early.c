/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    begin();
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
