/* ranks: 2  fault: deadlock  ends: by --timeout */
#include "program.h"

int main(void)
{
    MPI_Comm inter;

    begin();
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5 + rank, &inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
