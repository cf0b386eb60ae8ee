/* ranks: 2  fault: buffer  needs: guards */
#include "program.h"

int main(void)
{
    MPI_Request request;
    MPI_Datatype column;
    int matrix[4][4] = {{0}}, sum = 0;

    begin();
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Send(&matrix[0][1], 1, column, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&matrix[0][1], 1, column, 0, 0, MPI_COMM_WORLD, &request);
        sum += matrix[2][0] + matrix[2][2];
        sum += matrix[2][1]; /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
