/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0, up;
    MPI_Request request;

    begin();
    up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Send_init(&x, 1, MPI_INT, up, 0, MPI_COMM_WORLD, &request);
    if (up != MPI_PROC_NULL)
        MPI_Start(&request);
    if (rank == 1)
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
