/* ranks: 4  fault: collective-mismatch */
#include "session.h"

int main(void)
{
    MPI_Comm half;
    int x = 1, sum;

    begin_session();
    MPI_Comm_split(comm, rank % 2, rank, &half);
    if (rank == 3)
        MPI_Barrier(half); /* FAULT */
    else
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    end_session();
    return 0;
}
