/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Group all, others;
    MPI_Win win;
    int mem = 0, x = 5, other;

    begin();
    other = 1 - rank;
    MPI_Win_create(&mem, sizeof mem, sizeof mem, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &others);
    if (rank == 0) {
        MPI_Win_start(others, 0, win);
        MPI_Accumulate(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(others, 0, win);
        mem = 3; /* FAULT */
        MPI_Win_wait(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
