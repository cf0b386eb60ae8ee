/* ranks: 4 */
#include "program.h"

int main(void)
{
    double x[100] = {0};
    MPI_Request request[4];

    begin();
    for (int step = 0; step < 50; step++) {
        int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;

        MPI_Irecv(&x[0], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&x[99], 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&x[98], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&x[1], 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        for (int i = 1; i < 99; i++)
            x[i] += step;
    }
    MPI_Finalize();
    return 0;
}
