/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0, count;
    char *memory = malloc(10000);

    begin();
    MPI_Buffer_attach(memory, 10000);
    MPI_Bsend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&memory, &count);
    free(memory);
    MPI_Finalize();
    return 0;
}
