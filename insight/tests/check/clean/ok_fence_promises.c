/* ranks: 2 */
#include "program.h"

int main(void)
{
    int m[4] = {0}, v = 1, g = 0;
    MPI_Win w;
    begin();
    MPI_Win_create(m, sizeof m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank == 0 ? MPI_MODE_NOPUT : 0), w);
    if (rank == 0)
        MPI_Put(&v, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    else
        MPI_Get(&g, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_fence(MPI_MODE_NOSTORE, w);
    MPI_Get(&g, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, w);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
