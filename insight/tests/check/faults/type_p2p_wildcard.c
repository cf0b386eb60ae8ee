/* ranks: 3  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int x[2] = {1, 2};
    float y[2];

    begin();
    if (rank > 0)
        MPI_Send(x, 2, MPI_INT, 0, rank, MPI_COMM_WORLD);
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Recv(y, 2, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
