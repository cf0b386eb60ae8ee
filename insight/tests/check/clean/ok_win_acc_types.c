/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    MPI_Datatype pair;
    struct {
        int count;
        float sum;
        int more[2];
    } mem = {0};
    int one[2] = {1, 1};
    float half = 0.5f;

    begin();
    MPI_Win_create(&mem, sizeof mem, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Type_contiguous(2, MPI_INT32_T, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_fence(0, win);
    MPI_Accumulate(one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&half, 1, MPI_FLOAT, 0, 4, 1, MPI_FLOAT, MPI_SUM, win);
    if (rank == 1)
        MPI_Accumulate(one, 2, MPI_INT, 0, 8, 2, MPI_INT, MPI_SUM, win);
    else
        MPI_Accumulate(one, 1, pair, 0, 8, 1, pair, MPI_SUM, win);
    MPI_Win_fence(0, win);
    if (rank == 2)
        MPI_Accumulate(&half, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_REPLACE,
                       win); /* another epoch, another type */
    MPI_Win_fence(0, win);
    MPI_Type_free(&pair);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
