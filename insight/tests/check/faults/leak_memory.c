/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    void *x;

    begin();
    MPI_Alloc_mem(64, MPI_INFO_NULL, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
