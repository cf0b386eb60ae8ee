/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[8] = {0}, y[8], to[2] = {2, 2}, from[2] = {2, 2}, displs[2] = {0, 4};

    begin();
    if (rank == 0)
        from[1] = 1;
    MPI_Alltoallv(x, to, displs, MPI_INT, y, from, displs, MPI_INT, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
