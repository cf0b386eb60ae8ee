/* ranks: 1  fault: tolerance */
#include "program.h"

int main(void)
{
    begin();
    MPI_Free_mem(NULL); /* FAULT */
    MPI_Finalize();
    return 0;
}
