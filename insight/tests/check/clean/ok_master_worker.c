/* ranks: 4 */
#include "program.h"

int main(void)
{
    int work = 0, done = 0;
    MPI_Status status;

    begin();
    if (rank == 0) {
        for (int given = 0; done < size - 1;) {
            MPI_Recv(&work, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (given++ < 60)
                MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
            else {
                MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
                done++;
            }
        }
    } else {
        do {
            MPI_Send(&work, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
            MPI_Recv(&work, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        } while (status.MPI_TAG == 1);
    }
    MPI_Finalize();
    return 0;
}
