/* ranks: 2  fault: standstill  ends: by --timeout  says: rank 1 is in no call since its last one */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Comm comm;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    while (rank == 1)
        usleep(1000);
    MPI_Bcast(&x, 1, MPI_INT, 0, comm);
    MPI_Barrier(comm); /* FAULT */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
