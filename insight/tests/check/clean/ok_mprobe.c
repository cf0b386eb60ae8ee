/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[4] = {0}, count;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Send(x, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(x, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(x, count, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Imrecv(x, 4, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(x, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
