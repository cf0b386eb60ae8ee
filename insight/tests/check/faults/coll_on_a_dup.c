/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm comm;
    int x = 0, y;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Scan(&rank, &x, 1, MPI_INT, MPI_SUM, comm); /* FAULT */
    else
        MPI_Exscan(&rank, &y, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
