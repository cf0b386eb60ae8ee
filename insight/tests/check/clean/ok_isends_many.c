/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[1000];
    MPI_Request request[1000];

    begin();
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    for (int i = 0; i < 1000; i++)
        if (rank == 0)
            MPI_Isend(&x[i], 1, MPI_INT, 1, i % 3, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(&x[i], 1, MPI_INT, 0, i % 3, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(1000, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
