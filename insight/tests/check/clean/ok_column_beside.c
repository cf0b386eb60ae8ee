/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Request request;
    MPI_Datatype column;
    int matrix[4][4] = {{0}}, sum = 0;

    begin();
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(&matrix[0][1], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 4; i++)
        sum += matrix[i][0]++ + matrix[i][2]--;
    MPI_Send((int[4]){1, 2, 3, 4}, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (matrix[2][1] != 3 || matrix[2][0] != 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
