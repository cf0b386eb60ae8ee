/* ranks: 2  fault: buffer */
#include "program.h"

static void begin_receive(MPI_Request *request)
{
    int local[8] = {0};

    MPI_Irecv(local, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, request); /* FAULT */
}

int main(void)
{
    int all[8] = {0};
    MPI_Request request;

    begin();
    if (rank == 1)
        begin_receive(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(all, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
