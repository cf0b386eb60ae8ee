/* ranks: 2  fault: request */
#include "program.h"

int main(void)
{
    enum {
        LARGE = 1 << 20 /* which free gives back to the system */
    };
    char *buffer = malloc(LARGE);
    MPI_Request request;

    begin();
    MPI_Irecv(buffer, 100, MPI_BYTE, 1 - rank, 9, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Barrier(MPI_COMM_WORLD);
    free(buffer);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
