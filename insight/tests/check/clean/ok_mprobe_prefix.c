/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[8] = {0}, count;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(x, 8, MPI_INT, &message, MPI_STATUS_IGNORE); /* more room than that */
        MPI_Mprobe(1, 1, MPI_COMM_WORLD, &message, &status);
        MPI_Imrecv(x, count, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(x, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Ssend(x, 3, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return rank == 0 && count != 4;
}
