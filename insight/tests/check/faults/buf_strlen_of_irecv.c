/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

/* A function of the C library loads it, which has no lines. */
int main(void)
{
    char text[64] = "before";
    size_t length = 0;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Irecv(text, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        length = strlen(text); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(text, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return length > 64;
}
