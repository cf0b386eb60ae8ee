/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Win x;
    void *y;

    begin();
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &y, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
