/* ranks: 4  fault: operation-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 1, y = 0;

    begin();
    inter = between(2);
    MPI_Allreduce(&x, &y, 1, MPI_INT, rank == 3 ? MPI_PROD : MPI_SUM, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
