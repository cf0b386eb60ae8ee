/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 1, y = 2, *base;
    MPI_Info info;
    MPI_Win win;

    begin();
    info = info_with("accumulate_ordering", "none");
    MPI_Win_allocate(sizeof *base, sizeof *base, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    *base = 0;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    do { /* its own sum may come later */
        MPI_Fetch_and_op(NULL, &y, MPI_INT, 0, 0, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
    } while (y < 10);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
        MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
        for (int i = 0; i < 3; i++) /* one value */
            MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
