/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Win win;
    MPI_Datatype odd;
    int *x, y[4] = {0};

    begin();
    MPI_Type_vector(4, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_fence(0, win);
    if (rank == 1) {
        MPI_Put(y, 4, MPI_INT, 0, 0, 1, odd, win);
        MPI_Send(y, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(x + 1, 1, odd, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* between those of the put */
    }
    MPI_Win_fence(0, win);
    MPI_Allreduce(MPI_IN_PLACE, x, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* nobody accesses it */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&odd);
    MPI_Finalize();
    return 0;
}
