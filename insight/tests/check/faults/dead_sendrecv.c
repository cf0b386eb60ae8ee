/* ranks: 3  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0, y, next;

    begin();
    next = (rank + 1) % size;
    MPI_Sendrecv(&x, 1, MPI_INT, next, 0, &y, 1, MPI_INT, next, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
