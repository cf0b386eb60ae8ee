/* ranks: 2  fault: lost-message */
#include "session.h"

int main(void)
{
    int x = 1;

    begin_session();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 5, comm); /* FAULT */
    MPI_Barrier(comm);
    end_session();
    return 0;
}
