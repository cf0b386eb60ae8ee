/* ranks: 4 */
#include "program.h"

int main(void)
{
    int x[16] = {0}, y[16], counts[4] = {1, 2, 3, 4}, displs[4] = {0, 1, 3, 6};

    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(x, 4, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gather(x, 2, MPI_INT, y, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(x, 2, MPI_INT, y, 2, MPI_INT, 3, MPI_COMM_WORLD);
    MPI_Allgather(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Gatherv(x, counts[rank], MPI_INT, y, counts, displs, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Scatterv(x, counts, displs, MPI_INT, y, counts[rank], MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allgatherv(x, counts[rank], MPI_INT, y, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce(x, y, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Allreduce(x, y, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Scan(x, y, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Exscan(x, y, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(x, y, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
