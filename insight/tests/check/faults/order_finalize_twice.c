/* ranks: 1  fault: call-order */
#include "program.h"

int main(void)
{
    begin();
    MPI_Finalize();
    MPI_Finalize(); /* FAULT */
    return 0;
}
