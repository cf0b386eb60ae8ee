/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x[8];
    MPI_Request request[8];
    int index, count, indices[8];

    begin();
    if (rank == 0) {
        for (int i = 0; i < 8; i++)
            MPI_Irecv(&x[i], 1, MPI_INT, 1 + i % 2, i, MPI_COMM_WORLD, &request[i]);
        for (int i = 0; i < 4; i++)
            MPI_Waitany(8, request, &index, MPI_STATUS_IGNORE);
        do
            MPI_Waitsome(8, request, &count, indices, MPI_STATUSES_IGNORE);
        while (count != MPI_UNDEFINED);
    } else {
        for (int i = rank - 1; i < 8; i += 2)
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
