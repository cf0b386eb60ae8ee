/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int v = rank, *x;
    MPI_Win win;
    MPI_Info info;

    begin();
    info = info_with("accumulate_ops", "same_op");
    MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &x, &win);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, rank ? MPI_SUM : MPI_MAX, win); /* FAULT */
    MPI_Win_fence(0, win);
    (void)x;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
