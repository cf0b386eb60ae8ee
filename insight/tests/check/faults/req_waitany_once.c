/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    int x[2] = {0}, index;
    MPI_Request request[2];

    begin();
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]); /* FAULT */
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
