/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x = 1;

    begin();
    MPI_Allreduce(&x, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
