/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Request request = MPI_REQUEST_NULL;
    int x = 1, y;

    begin();
    inter = between(1);
    if (rank == 0)
        MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, inter, &request);
    else
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, inter); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
