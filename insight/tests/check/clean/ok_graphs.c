/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm cart, sub, graph;
    int dims[2] = {2, 2}, periods[2] = {1, 0}, keep[2] = {1, 0}, x[4] = {0}, y[16], from, to;

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_sub(cart, keep, &sub);
    MPI_Cart_shift(cart, 1, 1, &from, &to);
    MPI_Sendrecv(x, 1, MPI_INT, to, 0, y, 1, MPI_INT, from, 0, cart, MPI_STATUS_IGNORE);
    MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, cart);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, graph);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&sub);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return 0;
}
