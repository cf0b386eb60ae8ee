/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x[9] = {1, 2, 3}, y[9];

    begin();
    MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, rank == 0 ? x : NULL, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(x, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Scatter(y, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, x, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
