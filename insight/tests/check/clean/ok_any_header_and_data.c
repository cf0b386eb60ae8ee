/* ranks: 4 */
#include "program.h"

int main(void)
{
    int head = 0;
    double data[3] = {0};
    MPI_Status status;

    begin();
    if (rank == 0) {
        for (int i = 0; i < 9; i++) {
            MPI_Recv(&head, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(data, head, MPI_DOUBLE, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        for (int i = 0; i < 3; i++) {
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Send(data, rank, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
