/* ranks: 2  fault: epoch */
#include "program.h"

int main(void)
{
    int m[4] = {0}, v = 1;
    MPI_Win w;
    begin();
    MPI_Win_create(m, sizeof m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    m[2] = 5 + rank;
    MPI_Win_fence(MPI_MODE_NOSTORE, w); /* FAULT */
    MPI_Get(&v, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
