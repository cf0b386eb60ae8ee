/* ranks: 3  fault: type-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm chain;
    MPI_Request request;
    int from = rank, to, weight = 2;
    double x[2] = {0}, y[2];

    begin();
    from = rank - 1; /* each sends to the next one, and the last to none */
    to = rank + 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &from, &weight, rank < 2, &to, &weight,
                                   MPI_INFO_NULL, 0, &chain);
    MPI_Ineighbor_alltoall(x, 1, rank == 1 ? MPI_INT64_T : MPI_DOUBLE, y, 1, MPI_DOUBLE, chain,
                           &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&chain);
    MPI_Finalize();
    return 0;
}
