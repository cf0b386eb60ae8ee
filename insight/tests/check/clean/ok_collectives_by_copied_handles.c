/* ranks: 2 */
/* A binding keeps copies of handles: two operations of one variable that are complete at once, of which the program uses one's buffer. */
#include "program.h"

static void collectives(void)
{
    int x = 1, sum[2] = {0, 0};
    MPI_Request made, kept[2];

    for (int i = 0; i < 2; i++) {
        MPI_Iallreduce(&x, &sum[i], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &made);
        kept[i] = made;
    }
    MPI_Wait(&kept[0], MPI_STATUS_IGNORE);
    sum[0]++;
    MPI_Wait(&kept[1], MPI_STATUS_IGNORE);
    if (sum[0] != 2 || sum[1] != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void accesses(void)
{
    int *memory, data[2] = {1, 2};
    MPI_Request made, kept[2];
    MPI_Win win;

    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 2; i++) {
        MPI_Rput(&data[i], 1, MPI_INT, rank, i, 1, MPI_INT, win, &made);
        kept[i] = made;
    }
    MPI_Wait(&kept[0], MPI_STATUS_IGNORE);
    data[0] = 3;
    MPI_Wait(&kept[1], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(void)
{
    begin();
    collectives();
    accesses();
    MPI_Finalize();
    return 0;
}
