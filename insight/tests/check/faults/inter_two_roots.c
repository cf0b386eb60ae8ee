/* ranks: 3  fault: root-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 0;

    begin();
    inter = between(2);
    if (rank < 2)
        MPI_Bcast(&x, 1, MPI_INT, MPI_ROOT, inter); /* FAULT */
    else
        MPI_Bcast(&x, 1, MPI_INT, 0, inter);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
