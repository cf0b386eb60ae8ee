/* ranks: 3  fault: message-race */
#include "program.h"

int main(void)
{
    int x[4] = {0};
    MPI_Message m;
    begin();
    if (rank == 0) {
        MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Mrecv(x, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
        MPI_Recv(x, 1, MPI_INT, 2, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        if (rank == 2)
            usleep(100000);
        MPI_Send(x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
