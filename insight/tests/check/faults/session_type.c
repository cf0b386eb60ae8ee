/* ranks: 2  fault: type-mismatch */
#include "session.h"

int main(void)
{
    float x = 0;
    int y = 1;

    begin_session();
    if (rank == 0)
        MPI_Send(&y, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Recv(&x, 1, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE); /* FAULT */
    end_session();
    return 0;
}
