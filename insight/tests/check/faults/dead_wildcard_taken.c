/* ranks: 3  fault: deadlock  says: cycle: rank 0 -> 1 -> 0 */
#include "program.h"

/* The one receive that is open has met another rank's message. */
int main(void)
{
    static char large[1 << 20];
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    begin();
    if (rank == 1)
        MPI_Irecv(large, sizeof large, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Send(large, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    usleep(rank == 0 ? 300000 : 0);
    if (rank == 0)
        MPI_Send(large, sizeof large, MPI_CHAR, 1, 2, MPI_COMM_WORLD); /* FAULT */
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(large, sizeof large, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
