/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int *memory = calloc(1, 64);

    begin();
    MPI_Win_create(memory, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    memory = realloc(memory, 4000000); /* FAULT */
    MPI_Win_free(&win);
    free(memory);
    MPI_Finalize();
    return 0;
}
