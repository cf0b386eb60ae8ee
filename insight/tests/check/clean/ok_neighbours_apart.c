/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm grid, pairs;
    int dims[2] = {2, 2}, periods[2] = {0, 0}, x[2] = {0}, y[4], peer, index[4] = {1, 2, 3, 4},
        edges[4] = {1, 0, 3, 2};

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, grid);
    MPI_Comm_free(&grid);
    /* Ranks that are no neighbours may exchange other types. */
    peer = rank ^ 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, MPI_UNWEIGHTED, 1, &peer, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &pairs);
    MPI_Neighbor_allgather(x, 1, rank < 2 ? MPI_INT : MPI_FLOAT, y, 1, rank < 2 ? MPI_INT : MPI_FLOAT, pairs);
    MPI_Neighbor_alltoall(x, rank < 2 ? 1 : 2, MPI_INT, y, rank < 2 ? 1 : 2, MPI_INT, pairs);
    MPI_Comm_free(&pairs);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &pairs);
    MPI_Neighbor_allgather(x, 1, rank < 2 ? MPI_INT : MPI_FLOAT, y, 1, rank < 2 ? MPI_INT : MPI_FLOAT, pairs);
    MPI_Comm_free(&pairs);
    MPI_Finalize();
    return 0;
}
