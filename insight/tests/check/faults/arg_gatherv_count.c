/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x = 0, all[2], counts[2] = {1, -1}, displs[2] = {0, 1};

    begin();
    MPI_Gatherv(&x, 1, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
