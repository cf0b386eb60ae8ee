/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *memory = calloc(1, 64);

    begin();
    MPI_Win_create(memory + 4, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    free(memory); /* FAULT */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
