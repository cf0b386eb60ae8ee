/* ranks: 2  fault: buffering */
#include "program.h"

int main(void)
{
    int mine = 1, theirs = 0;

    begin();
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
