/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[64] = {0}, sizes[2] = {8, 8}, part[2] = {2, 3}, start[2] = {1, 2}, y[6];
    MPI_Datatype type;

    begin();
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(x, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(y, 6, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
