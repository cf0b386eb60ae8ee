/* ranks: 2  fault: accumulate-order  says: which value stays is open */
#include "program.h"

int main(void)
{
    int x = 1, y = 2, *base;
    MPI_Info info;
    MPI_Win win;

    begin();
    info = info_with("accumulate_ordering", "none");
    MPI_Win_allocate(sizeof *base, sizeof *base, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    *base = 0;
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Accumulate(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Accumulate(&y, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win); /* FAULT */
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
