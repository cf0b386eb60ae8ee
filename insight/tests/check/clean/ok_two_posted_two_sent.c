/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Request request[3];
    int x[3] = {0};

    begin();
    if (rank == 0) {
        MPI_Irecv(&x[0], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&x[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Irecv(&x[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[2]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    } else {
        sleep(3);
        for (int i = 1; i < 3; i++)
            MPI_Send(&x[0], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        sleep(3);
        MPI_Send(&x[0], 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
