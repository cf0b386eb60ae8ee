/* ranks: 2  fault: buffer */
#include "program.h"

static void begin_send(MPI_Request *request)
{
    int local[8] = {0};

    MPI_Isend(local, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, request); /* FAULT */
}

int main(void)
{
    int all[8] = {0};
    MPI_Request request;

    begin();
    if (rank == 1)
        begin_send(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(all, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
