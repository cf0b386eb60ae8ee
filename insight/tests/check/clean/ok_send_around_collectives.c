/* ranks: 2 */
#include "program.h"

/* What is sent before a collective call, or received after it, needs no call that returns early. */
int main(void)
{
    int x = 1, mine = 0, all[2] = {1, 2};
    MPI_Request request;

    begin();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) /* posted before, waited for after */
        MPI_Irecv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Scan(&mine, &all[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
