/* ranks: 3 */
#include "program.h"

int main(void)
{
    double d = 1;
    int i = 2;
    MPI_Status status;

    begin();
    if (rank > 0) {
        MPI_Send(&d, 1, MPI_DOUBLE, 0, 10, MPI_COMM_WORLD);
        MPI_Send(&i, 1, MPI_INT, 0, 20, MPI_COMM_WORLD);
    } else {
        for (int k = 0; k < 4; k++) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == 10)
                MPI_Recv(&d, 1, MPI_DOUBLE, status.MPI_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Recv(&i, 1, MPI_INT, status.MPI_SOURCE, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
