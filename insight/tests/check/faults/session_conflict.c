/* ranks: 3  fault: rma-conflict */
#include "session.h"

int main(void)
{
    MPI_Win win;
    int *slot, one = 1;

    begin_session();
    MPI_Win_allocate(sizeof *slot, sizeof *slot, MPI_INFO_NULL, comm, &slot, &win);
    MPI_Win_fence(0, win);
    if (rank > 0)
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* FAULT */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    end_session();
    return 0;
}
