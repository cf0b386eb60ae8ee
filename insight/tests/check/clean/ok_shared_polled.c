/* ranks: 2 */
#include "program.h"

/* a flag in shared memory that is polled, with MPI_Win_sync */
int main(void)
{
    volatile int *m, *at;
    int *base, unit;
    MPI_Aint n;
    MPI_Win w;
    begin();
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
    MPI_Win_shared_query(w, 0, &n, &unit, &base);
    at = base;
    MPI_Win_lock_all(0, w);
    if (rank == 0) {
        at[0] = 0;
        MPI_Win_sync(w);
        MPI_Barrier(MPI_COMM_WORLD);
        at[5] = 3;
        MPI_Win_sync(w);
        at[0] = 1;
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        while (at[0] == 0)
            MPI_Win_sync(w);
        if (at[5] != 3)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
