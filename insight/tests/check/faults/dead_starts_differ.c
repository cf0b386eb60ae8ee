/* ranks: 3  fault: deadlock  says: waits for rank 1 */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x = 1, y;

    begin();
    MPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < (rank == 1 ? 2 : 3); i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
