/* ranks: 4  options: --survive */
#include "survived.h"

/* Whoever has acknowledged the death goes on with the others on the same communicator; what was sent to the dead is not lost. */
int main(void)
{
    int value = 0, other, acked;
    MPI_Request request[2];

    begin_returning();
    if (rank != 3)
        MPI_Send(&rank, 1, MPI_INT, 3, 8, MPI_COMM_WORLD);
    last_dies();
    MPI_Send(&rank, 1, MPI_INT, 3, 8, MPI_COMM_WORLD);
    MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request[0]);
    if (class_of(MPI_Wait(&request[0], MPI_STATUS_IGNORE)) != MPIX_ERR_PROC_FAILED_PENDING)
        return 5;
    MPIX_Comm_ack_failed(MPI_COMM_WORLD, size, &acked);
    MPIX_Comm_agree(MPI_COMM_WORLD, &acked);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % 3, 5, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 3, 6, &value, 1, MPI_INT, (rank + 2) % 3, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
    return value != (rank + 2) % 3;
}
