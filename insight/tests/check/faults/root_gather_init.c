/* ranks: 2  fault: root-mismatch */
#include "program.h"

int main(void)
{
    int all[2];
    MPI_Request request;

    begin();
    MPI_Gather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, rank, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &request); /* FAULT */
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
