/* ranks: 3  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Request request;
    int x = 1;

    begin();
    inter = between(1);
    if (rank == 0)
        MPI_Ibcast(&x, 1, MPI_INT, MPI_ROOT, inter, &request);
    else
        MPI_Bcast_init(&x, 1, MPI_INT, 0, inter, MPI_INFO_NULL, &request); /* FAULT */
    if (rank > 0)
        MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Request_free(&request);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
