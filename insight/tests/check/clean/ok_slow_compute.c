/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    if (rank == 0)
        sleep(4);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        sleep(3);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
