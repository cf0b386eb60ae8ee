/* ranks: 4  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 0;

    begin();
    inter = between(2);
    if (rank < 2)
        MPI_Barrier(inter);
    else
        MPI_Bcast(&x, 1, MPI_INT, 0, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
