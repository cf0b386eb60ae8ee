/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[16] = {0};
    MPI_Datatype column;
    MPI_Request request[4];

    begin();
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 4; i++)
        if (rank == 0)
            MPI_Irecv(&x[i], 1, column, 1, i, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Isend(&x[i], 1, column, 0, i, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
