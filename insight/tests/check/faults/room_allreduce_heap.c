/* ranks: 2  fault: buffer  says: is 64 bytes long */
#include "program.h"

int main(void)
{
    double mine[8] = {0}, *sum = malloc(8);

    begin();
    MPI_Allreduce(mine, sum, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    free(sum);
    MPI_Finalize();
    return 0;
}
