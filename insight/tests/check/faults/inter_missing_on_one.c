/* ranks: 4  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;

    begin();
    inter = between(2);
    if (rank != 3)
        MPI_Barrier(inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
