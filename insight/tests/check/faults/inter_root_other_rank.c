/* ranks: 4  fault: root-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[1] = {0}, all[2];

    begin();
    inter = between(2);
    if (rank < 2)
        MPI_Gather(x, 1, MPI_INT, all, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    else
        MPI_Gather(x, 1, MPI_INT, all, 1, MPI_INT, 1, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
