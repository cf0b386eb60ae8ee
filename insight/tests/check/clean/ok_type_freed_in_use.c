/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[4] = {0};
    MPI_Datatype type;
    MPI_Request request;

    begin();
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Isend(x, 1, type, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(x, 1, type, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
