/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

/* A store and a load of shared memory, which nothing orders. */
int main(void)
{
    int *mem, *first, unit, seen = 0;
    MPI_Aint bytes;
    MPI_Win win;

    begin();
    MPI_Win_allocate_shared(4 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        mem[1] = 42;
    else
        seen = first[1]; /* FAULT */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return seen > 42;
}
