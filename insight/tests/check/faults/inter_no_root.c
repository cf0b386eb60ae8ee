/* ranks: 3  fault: root-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 0, sum = 0;
    MPI_Request request;

    begin();
    inter = between(1);
    MPI_Ireduce(&x, &sum, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_PROC_NULL : 0, inter, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
