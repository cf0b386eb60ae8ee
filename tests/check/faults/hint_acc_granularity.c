/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int v = rank, *x;
    MPI_Win win;
    MPI_Info info;
    int two[4] = {0};
    begin();
    info = info_with("mpi_accumulate_granularity", "8");
    MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &x, &win);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    MPI_Accumulate(two, 2, MPI_INT, 0, 4 * rank, 2, MPI_INT, MPI_SUM, win); /* FAULT */
    MPI_Win_fence(0, win);
    (void)v;
    (void)x;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
