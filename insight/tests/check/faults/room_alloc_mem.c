/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int given[4] = {0}, *got;

    begin();
    MPI_Alloc_mem(16, MPI_INFO_NULL, &got);
    if (rank == 0)
        MPI_Send(given, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(got, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Free_mem(got);
    MPI_Finalize();
    return 0;
}
