/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[16] = {0};
    MPI_Datatype column;
    MPI_Request request[2];

    begin();
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Irecv(x, 1, column, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(x + 4, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]); /* FAULT */
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(x, 1, column, 0, 0, MPI_COMM_WORLD);
        MPI_Send(x, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
