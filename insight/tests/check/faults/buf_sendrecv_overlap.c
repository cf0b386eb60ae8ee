/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[3] = {0};

    begin();
    MPI_Sendrecv(x, 2, MPI_INT, 1 - rank, 0, x + 1, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
