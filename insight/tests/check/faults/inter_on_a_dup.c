/* ranks: 4  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Comm other;
    MPI_Request request;
    int x = 0, all[4] = {0};

    begin();
    inter = between(2);
    MPI_Comm_idup(inter, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, other); /* FAULT */
    else
        MPI_Alltoall(all, 1, MPI_INT, all + 2, 1, MPI_INT, other);
    MPI_Comm_free(&other);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
