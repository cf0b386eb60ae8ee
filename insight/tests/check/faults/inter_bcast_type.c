/* ranks: 3  fault: type-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    float x = 0;
    int whole = 1;

    begin();
    inter = between(2);
    if (rank < 2)
        MPI_Bcast(&x, 1, MPI_FLOAT, 0, inter); /* FAULT */
    else
        MPI_Bcast(&whole, 1, MPI_INT, MPI_ROOT, inter);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
