/* ranks: 2  fault: buffer */
#include "program.h"

static void make(MPI_Win *win)
{
    int memory[400] = {0};

    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

static void fence_deep(MPI_Win win)
{
    char deep[9000];

    memset(deep, 0, sizeof deep);
    MPI_Win_fence(deep[7], win); /* FAULT */
}

int main(void)
{
    MPI_Win win;
    int x = 1;

    begin();
    make(&win);
    fence_deep(win);
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
