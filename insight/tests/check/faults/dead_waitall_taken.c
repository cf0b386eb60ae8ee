/* ranks: 3  fault: deadlock  ends: by --timeout */
#include "program.h"

/* The wildcard takes the message that the second receive waits for; by its order of sending the other may have had it. */
int main(void)
{
    int values[2];
    MPI_Request requests[2];

    begin();
    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* FAULT */
    } else {
        if (rank == 1)
            usleep(300000);
        MPI_Ssend(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
