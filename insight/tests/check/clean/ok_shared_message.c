/* ranks: 2 */
#include "program.h"

/* a flag by message: the store comes before the send, the load behind the receive */
int main(void)
{
    long *m, *at, s = 0;
    int unit;
    MPI_Aint n;
    MPI_Win w;
    begin();
    MPI_Win_allocate_shared(rank == 0 ? 8 * sizeof *m : 0, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_shared_query(w, 0, &n, &unit, &at);
    MPI_Win_lock_all(0, w);
    for (int k = 0; k < 4; k++) {
        if (rank == k % 2) {
            at[0] = k;
            MPI_Win_sync(w);
            MPI_Send(NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_sync(w);
            s += at[0];
        }
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
