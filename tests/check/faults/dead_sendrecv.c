/* ranks: 3  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0, y;

    begin();
    MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
