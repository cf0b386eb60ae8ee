/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    MPI_Info info;

    begin();
    info = info_with("no_locks", "true");
    MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &x, &win);
    MPI_Info_free(&info);
    MPI_Win_lock_all(0, win); /* FAULT */
    MPI_Win_unlock_all(win);
    (void)x;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
