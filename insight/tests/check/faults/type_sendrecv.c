/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int x = 1;
    float y;

    begin();
    MPI_Sendrecv(&x, 1, MPI_INT, 1 - rank, 0, &y, 1, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
