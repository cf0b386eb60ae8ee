/* ranks: 3  options: --survive */
#include "survived.h"

/* What is under way on a revoked communicator has ended; the program need not wait for it. Nobody dies. */
static MPI_Request pending(MPI_Comm comm)
{
    static int gone;
    MPI_Request request;

    MPI_Irecv(&gone, 1, MPI_INT, (rank + 1) % 3, 2, comm, &request);
    return request;
}

int main(void)
{
    int value = 0, flag = 1;
    MPI_Comm copy, living;
    MPI_Request request;

    begin_returning();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % 3, 1, copy);
    request = pending(copy);
    if (rank == 0)
        MPIX_Comm_revoke(copy);
    else if (class_of(MPI_Recv(&value, 1, MPI_INT, 0, 3, copy, MPI_STATUS_IGNORE)) != MPIX_ERR_REVOKED)
        return 5;
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % 3, 1, copy);
    MPIX_Comm_shrink(copy, &living);
    MPI_Comm_free(&copy);
    MPIX_Comm_agree(living, &flag);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 3, 1, &value, 1, MPI_INT, (rank + 2) % 3, 1, living,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&living);
    MPI_Finalize();
    return request == MPI_REQUEST_NULL;
}
