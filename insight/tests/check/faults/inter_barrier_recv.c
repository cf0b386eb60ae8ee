/* ranks: 3  fault: deadlock  says: cycle: */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 0;

    begin();
    inter = between(1);
    if (rank == 2)
        MPI_Recv(&x, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Barrier(inter);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, inter);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
