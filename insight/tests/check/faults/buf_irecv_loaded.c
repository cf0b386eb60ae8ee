/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

static int sum_of(const int *values, int count)
{
    int sum = 0;

    for (int i = 0; i < count; i++)
        sum += values[i]; /* FAULT */
    return sum;
}

int main(void)
{
    MPI_Request request;
    int x[4] = {1, 2, 3, 4}, sum = 0;

    begin();
    if (rank == 0) {
        MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(x, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        sum = sum_of(x, 4);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return sum > 10;
}
