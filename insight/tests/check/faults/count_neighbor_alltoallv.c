/* ranks: 4  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int dims = 4, is_ring = 1, x[8] = {0}, y[8], counts[2] = {1, 2}, takes[2] = {2, 1}, displs[2] = {0, 4};
    MPI_Comm ring;

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &is_ring, 0, &ring);
    if (rank == 2)
        counts[0] = 2;
    MPI_Neighbor_alltoallv(x, counts, displs, MPI_INT, y, takes, displs, MPI_INT, ring); /* FAULT */
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
