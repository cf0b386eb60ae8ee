/* ranks: 3  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[4] = {0}, y[16], counts[3] = {1, 2, 3}, displs[3] = {0, 4, 8};

    begin();
    MPI_Gatherv(x, rank == 2 ? 2 : rank + 1, MPI_INT, y, counts, displs, MPI_INT, 0,
                MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
