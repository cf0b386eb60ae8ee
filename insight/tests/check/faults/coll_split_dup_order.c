/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm a, b;

    begin();
    if (rank == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &a);
        MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &b);
    } else {
        MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &b); /* FAULT */
        MPI_Comm_dup(MPI_COMM_WORLD, &a);
    }
    MPI_Comm_free(&a);
    MPI_Finalize();
    return 0;
}
