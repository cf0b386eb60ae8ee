/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x[2] = {0};
    MPI_Request request[2];

    begin();
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&x[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request[i]);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
