/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int x[8] = {0}, count;
    MPI_Status status;

    begin();
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(x, count, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
        }
    } else {
        usleep(rank == 2 ? 100000 : 0);
        MPI_Send(x, 4 * rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
