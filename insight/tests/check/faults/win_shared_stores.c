/* ranks: 2  fault: rma-conflict  needs: watchpoints */
#include "program.h"

int main(void)
{
    int *m, *at, unit;
    MPI_Aint n;
    MPI_Win w;
    begin();
    MPI_Win_allocate_shared(rank == 0 ? 4 * sizeof *m : 0, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_shared_query(w, 0, &n, &unit, &at);
    MPI_Win_lock_all(0, w);
    at[0] = rank; /* FAULT */
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
