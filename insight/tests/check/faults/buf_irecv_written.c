/* ranks: 2  fault: buffer  says: the buffer of */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x = 0;

    begin();
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* FAULT */
        x = 4;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
