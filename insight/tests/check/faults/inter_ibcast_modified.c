/* ranks: 3  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Request request;
    int x[4] = {0};

    begin();
    inter = between(1);
    MPI_Ibcast(x, 4, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter, &request);
    if (rank == 0)
        x[1] = 7; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
