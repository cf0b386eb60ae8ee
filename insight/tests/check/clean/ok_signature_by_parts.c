/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Datatype two;

    begin();
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Bcast(x, rank ? 4 : 8, rank ? two : MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(x, 6, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(x, 4, two, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&two);
    MPI_Finalize();
    return 0;
}
