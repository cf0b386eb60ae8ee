/* ranks: 1  fault: tolerance  says: NULL is not of MPI_Alloc_mem */
#include "program.h"

int main(void)
{
    begin();
    MPI_Free_mem(NULL); /* FAULT */
    MPI_Finalize();
    return 0;
}
