/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    int *m, *at, unit, s = 0;
    MPI_Aint n;
    MPI_Win w;
    begin();
    MPI_Win_allocate_shared(4 * sizeof *m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_shared_query(w, 1, &n, &unit, &at);
    MPI_Win_fence(0, w);
    if (rank == 0)
        at[0] = 3; /* FAULT */
    else
        s = m[0];
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return s == 99;
}
