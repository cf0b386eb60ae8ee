/* ranks: 3  fault: count-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[3] = {0}, all[8];

    begin();
    inter = between(1);
    if (rank < 1)
        MPI_Allgather(x, 3, MPI_INT, all, 2, MPI_INT, inter);
    else
        MPI_Allgather(x, 2, MPI_INT, all, 2, MPI_INT, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
