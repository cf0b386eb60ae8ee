/* ranks: 2  fault: request */
#include "session.h"

int main(void)
{
    static int x;
    MPI_Request request;

    begin_session();
    if (rank == 0) {
        MPI_Isend(&x, 1, MPI_INT, 1, 0, comm, &request); /* FAULT */
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    end_session();
    return 0;
}
