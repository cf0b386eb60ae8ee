/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    MPI_Info info;

    begin();
    info = info_with("same_size", "true");
    MPI_Alloc_mem(64, MPI_INFO_NULL, &x);
    MPI_Win_create(x, 32 + 32 * rank, 1, info, MPI_COMM_WORLD, &win); /* FAULT */
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    (void)x;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
