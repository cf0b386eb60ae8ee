/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm comm;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Comm_free(&comm);
    else
        MPI_Barrier(comm); /* FAULT */
    MPI_Finalize();
    return 0;
}
