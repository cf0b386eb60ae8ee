/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x = 0, flag = 0;
    MPI_Status status;

    begin();
    if (rank == 0) {
        for (int i = 0; i < 6; i++) {
            for (flag = 0; !flag;)
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        }
    } else {
        for (int i = 0; i < 3; i++)
            MPI_Send(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
