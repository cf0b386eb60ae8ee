/* ranks: 3  fault: rma-conflict  says: predefined datatype */
#include "program.h"

int main(void)
{
    MPI_Win win;
    int mem = 0, one = 1, old;
    float half = 0.5f;

    begin();
    MPI_Win_create(&mem, sizeof mem, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
    if (rank == 2)
        MPI_Accumulate(&half, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
