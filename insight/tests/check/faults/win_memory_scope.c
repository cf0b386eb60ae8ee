/* ranks: 2  fault: buffer */
#include "program.h"

static void make(MPI_Win *win)
{
    int memory[4] = {0};

    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

int main(void)
{
    MPI_Win win;

    begin();
    make(&win);
    MPI_Win_free(&win); /* FAULT */
    MPI_Finalize();
    return 0;
}
