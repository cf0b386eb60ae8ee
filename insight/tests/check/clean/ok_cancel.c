/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 8, &x, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
