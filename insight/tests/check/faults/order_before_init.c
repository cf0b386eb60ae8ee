/* ranks: 1  fault: call-order */
#include "program.h"

int main(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* FAULT */
    begin();
    MPI_Finalize();
    return 0;
}
