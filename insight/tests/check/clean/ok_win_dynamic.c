/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[4] = {0}, y = 1;
    MPI_Win win;
    MPI_Aint at, all[2];

    begin();
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, x, sizeof x);
    MPI_Get_address(x, &at);
    MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(&y, 1, MPI_INT, 1 - rank, all[1 - rank], 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, x);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
