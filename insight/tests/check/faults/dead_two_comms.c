/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    MPI_Comm a, b;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    MPI_Barrier(rank ? a : b); /* FAULT */
    MPI_Barrier(rank ? b : a);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    MPI_Finalize();
    return 0;
}
