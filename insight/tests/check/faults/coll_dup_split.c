/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm comm;

    begin();
    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* FAULT */
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
