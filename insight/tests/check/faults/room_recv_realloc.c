/* ranks: 2  fault: buffer  says: is 40 bytes long */
#include "program.h"

int main(void)
{
    int given[4] = {0};
    int *got = realloc(malloc(400), 16);

    begin();
    if (rank == 0)
        MPI_Send(given, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(got, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    free(got);
    MPI_Finalize();
    return 0;
}
