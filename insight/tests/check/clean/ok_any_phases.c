/* ranks: 4 */
#include "program.h"

int main(void)
{
    int x = 0;
    double d = 0;

    begin();
    for (int round = 0; round < 3; round++) {
        for (int i = 1; i < 4 && rank == 0; i++)
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0)
            MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 1; i < 4 && rank == 0; i++)
            MPI_Recv(&d, 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0)
            MPI_Send(&d, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
