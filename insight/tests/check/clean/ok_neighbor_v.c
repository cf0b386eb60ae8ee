/* ranks: 4 */
#include "program.h"

int main(void)
{
    int dims[2] = {2, 2}, is_ring[2] = {1, 0}, x[16] = {0}, y[16], counts[4], takes[4],
        displs[4] = {0, 4, 8, 12}, peers[4];
    MPI_Comm grid, two;

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, is_ring, 0, &grid);
    for (int i = 0; i < 2; i++)
        MPI_Cart_shift(grid, i, 1, &peers[2 * i], &peers[2 * i + 1]);
    for (int i = 0; i < 4; i++)
        counts[i] = takes[i] = i < 2 ? 1 : 1 + (peers[i] + rank + 4) % 3;
    MPI_Neighbor_alltoallv(x, counts, displs, MPI_INT, y, takes, displs, MPI_INT, grid);
    MPI_Comm_free(&grid);
    dims[0] = 4;
    is_ring[0] = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, is_ring, 0, &two);
    MPI_Cart_shift(two, 0, 1, &peers[0], &peers[1]);
    counts[0] = 1 + rank % 2;
    counts[1] = 3;
    takes[0] = 3;
    takes[1] = 1 + (rank + 1) % 2;
    MPI_Neighbor_alltoallv(x, counts, displs, MPI_INT, y, takes, displs, MPI_INT, two);
    takes[0] = 1 + (rank + 3) % 4;
    takes[1] = 1 + (rank + 1) % 4;
    MPI_Neighbor_allgatherv(x, 1 + rank, MPI_INT, y, takes, displs, MPI_INT, two);
    MPI_Comm_free(&two);
    MPI_Finalize();
    return 0;
}
