/* ranks: 2  fault: buffer  says: is 40 bytes long */
#include "program.h"

int main(void)
{
    int *given = calloc(10, 1), got[10];

    begin();
    if (rank == 0)
        MPI_Send(given, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* FAULT */
    else
        MPI_Recv(got, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(given);
    MPI_Finalize();
    return 0;
}
