/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x = 0, flag, left = 3;

    begin();
    if (rank == 0) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* whose, does not matter */
        while (left > 0) {
            for (int i = 1; i < 3; i++) {
                MPI_Iprobe(i, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                if (!flag)
                    continue;
                MPI_Recv(&x, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                left--;
            }
        }
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
