/* ranks: 3  fault: operation-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 1, most = 0;

    begin();
    inter = between(1);
    if (rank == 0)
        MPI_Reduce(NULL, &most, 1, MPI_INT, MPI_MAX, MPI_ROOT, inter);
    else
        MPI_Reduce(&x, NULL, 1, MPI_INT, MPI_SUM, 0, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
