/* ranks: 2  fault: buffer  says: is 40 bytes long */
#include "program.h"

int main(void)
{
    int given[4] = {0}, *got = malloc(16);
    MPI_Request request;

    begin();
    MPI_Irecv(got, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Send(given, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(got);
    MPI_Finalize();
    return 0;
}
