/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    int *m, *at, unit, v = 7;
    MPI_Aint n;
    MPI_Win w;
    begin();
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_shared_query(w, MPI_PROC_NULL, &n, &unit, &at);
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    else
        at[0] = 3; /* FAULT */
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
