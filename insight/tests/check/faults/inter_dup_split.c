/* ranks: 4  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Comm other;

    begin();
    inter = between(2);
    if (rank < 2)
        MPI_Comm_dup(inter, &other);
    else
        MPI_Comm_split(inter, 0, rank, &other); /* FAULT */
    MPI_Comm_free(&other);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
