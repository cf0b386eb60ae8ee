/* ranks: 3  options: --survive */
#include "survived.h"

/* A rank dies in an epoch; the others load and store where it has put. */
int main(void)
{
    static int own[8];
    int *mem, error;
    MPI_Win win;

    begin_returning();
    MPI_Win_allocate(8 * sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3; i++)
        MPI_Put(own, 1, MPI_INT, i, rank, 1, MPI_INT, win);
    if (rank == 2) {
        for (int i = 0; i < 2; i++)
            MPI_Put(own, 1, MPI_INT, i, 7, 1, MPI_INT, win);
        die();
    }
    error = MPI_Win_fence(0, win);
    mem[7] = 1;
    mem[2] = 1;
    MPI_Put(own, 1, MPI_INT, 1 - rank, 7, 1, MPI_INT, win);
    if (rank)
        MPIX_Win_revoke(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return error == MPI_SUCCESS;
}
