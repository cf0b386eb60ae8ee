/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *x;
    MPI_Win win;
    int put[4] = {0};
    MPI_Datatype every_other;

    begin();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Win_fence(0, win);
    MPI_Put(put, 4, MPI_INT, 0, rank, 1, every_other, win); /* even and odd items */
    MPI_Win_fence(0, win);
    MPI_Type_free(&every_other);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
