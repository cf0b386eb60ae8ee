/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x = 1, bytes = 1000;
    void *memory = malloc(1000);

    begin();
    MPI_Buffer_attach(memory, bytes);
    if (rank == 0)
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(memory); /* FAULT */
    MPI_Buffer_detach(&memory, &bytes);
    MPI_Finalize();
    return 0;
}
