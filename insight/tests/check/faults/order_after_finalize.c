/* ranks: 1  fault: call-order */
#include "program.h"

int main(void)
{
    begin();
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD); /* FAULT */
    return 0;
}
