/* ranks: 3  fault: epoch */
#include "program.h"

static void open_epoch(MPI_Win w, int asserts)
{
    MPI_Win_fence(asserts, w);
}
int main(void)
{
    int m[4] = {0}, v = 1;
    MPI_Win w;
    begin();
    MPI_Win_create(m, sizeof m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    open_epoch(w, MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT);
    if (rank == 2)
        MPI_Accumulate(&v, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, w); /* FAULT */
    open_epoch(w, MPI_MODE_NOSUCCEED);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
