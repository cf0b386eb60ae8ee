/* ranks: 2  fault: tolerance  says: only bitwise operations are for MPI_BYTE */
#include "program.h"

int main(void)
{
    unsigned char memory[8] = {0}, one = 1;
    MPI_Win win;

    begin();
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, MPI_SUM, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
