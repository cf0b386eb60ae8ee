/* ranks: 2  fault: buffer  line: guards  says: the program wrote to the buffer */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[4] = {0};

    begin();
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_init(x, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        x[3] = 4; /* FAULT */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
