/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int mine[4] = {0}, counts[2] = {4, 4}, displs[2] = {0, 4}, *all = NULL;

    begin();
    if (rank == 0)
        all = malloc(7 * sizeof *all);
    MPI_Gatherv(mine, 4, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    free(all);
    MPI_Finalize();
    return 0;
}
