/* ranks: 2  fault: deadlock */
#include "session.h"

int main(void)
{
    int x;

    begin_session();
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, comm);
    end_session();
    return 0;
}
