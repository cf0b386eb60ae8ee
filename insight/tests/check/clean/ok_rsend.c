/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 1;
    MPI_Request request;

    begin();
    if (rank == 1)
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Rsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
