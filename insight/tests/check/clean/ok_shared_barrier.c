/* ranks: 3 */
#include "program.h"

int main(void)
{
    int *m, *at, unit, s = 0;
    MPI_Aint n;
    MPI_Win w;
    begin();
    MPI_Win_allocate_shared(4 * sizeof *m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, w);
    for (int k = 0; k < 5; k++) {
        m[0] = rank + k;
        MPI_Win_sync(w);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(w);
        for (int i = 0; i < size; i++) {
            MPI_Win_shared_query(w, i, &n, &unit, &at);
            s += at[0];
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
