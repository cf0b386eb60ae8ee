/* ranks: 3  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int left, right, x = 3, y, count = 1, displ = 0;
    MPI_Comm ring;
    MPI_Request request;

    begin();
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    MPI_Ineighbor_allgatherv(&x, 1, rank == 1 ? MPI_FLOAT : MPI_INT, &y, &count, &displ, MPI_INT, ring,
                             &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
