/* ranks: 4  fault: type-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm ring;
    int dims[1] = {4}, periods[1] = {1};
    float x = 0, y[2];

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    if (rank == 2)
        MPI_Neighbor_allgather(&x, 1, MPI_INT, y, 1, MPI_INT, ring); /* FAULT */
    else
        MPI_Neighbor_allgather(&x, 1, MPI_FLOAT, y, 1, MPI_FLOAT, ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
