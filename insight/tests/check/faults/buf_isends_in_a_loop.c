/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x, y[2];
    MPI_Request request[2];

    begin();
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            x = i;
            MPI_Isend(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]); /* FAULT */
        }
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&y[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
