/* ranks: 2 */
#include "program.h"

int main(void)
{
    static char x[6 << 20], y[6 << 20];
    MPI_Request request;

    begin();
    MPI_Irecv(y, sizeof y, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(x, sizeof x, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
