/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Request request;
    char *text = calloc(1, 300), copy[300];

    begin();
    if (rank == 0) {
        MPI_Send(text, 300, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(text, 300, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        memcpy(copy, text, (size_t)(299 + rank)); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(text);
    MPI_Finalize();
    return 0;
}
