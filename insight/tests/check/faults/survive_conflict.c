/* ranks: 3  options: --survive  fault: rma-conflict */
#include "survived.h"

int main(void)
{
    int value = 1, *mem;
    MPI_Comm living;
    MPI_Win win;

    begin_returning();
    last_dies();
    living = shrink();
    MPI_Win_allocate(sizeof *mem, sizeof *mem, MPI_INFO_NULL, living, &mem, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&living);
    MPI_Finalize();
    return 0;
}
