/* ranks: 2  fault: buffer  says: is 32 bytes long */
#include "program.h"

int main(void)
{
    int mine[4] = {0}, *all = NULL;

    begin();
    if (rank == 0)
        all = malloc(4 * sizeof *all);                                /* of one rank */
    MPI_Gather(mine, 4, MPI_INT, all, 4, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    free(all);
    MPI_Finalize();
    return 0;
}
