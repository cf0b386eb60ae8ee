/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int x[2] = {1, 2}, y[2], counts[2] = {1, 1}, displs[2] = {0, 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT}, other[2] = {MPI_INT, MPI_FLOAT};

    begin();
    MPI_Alltoallw(x, counts, displs, types, y, counts, displs, rank ? types : other,
                  MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
