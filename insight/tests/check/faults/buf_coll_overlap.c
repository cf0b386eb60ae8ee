/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int v[4] = {0};
    begin();
    MPI_Allreduce(v, v + 1, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
