/* ranks: 2 */
#include "program.h"

/* MPI_NO_OP changes nothing, so reads of all kinds may stand beside it. */
int main(void)
{
    volatile int *base;
    int got[3] = {0}, seen = 0;
    MPI_Win win;

    begin();
    MPI_Win_allocate(2 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&base, &win);
    base[0] = base[1] = 5;
    for (int turn = 0; turn < 3; turn++) {
        MPI_Win_fence(0, win);
        if (rank == 0 && turn != 1)
            MPI_Fetch_and_op(NULL, &got[0], MPI_INT, 1, 0, MPI_NO_OP, win);
        if (rank == 0 && turn != 0)
            MPI_Get_accumulate(NULL, 0, MPI_INT, &got[1], 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, win);
        if (rank == 0)
            MPI_Get(&got[2], 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        if (rank == 1) {
            seen += base[0];
            MPI_Get(&seen, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        }
    }
    MPI_Win_fence(MPI_MODE_NOPUT, win); /* nor is it a put */
    if (rank == 0)
        MPI_Fetch_and_op(NULL, &got[0], MPI_INT, 1, 0, MPI_NO_OP, win);
    if (rank == 1)
        MPI_Send((int *)base, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&got[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
