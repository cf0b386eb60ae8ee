/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Comm comm, copy;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    MPI_Comm_free(&comm);
    MPI_Barrier(copy); /* FAULT */
    MPI_Finalize();
    return 0;
}
