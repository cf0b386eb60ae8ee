/* ranks: 3  fault: type-mismatch */
#include "program.h"

int main(void)
{
    float x = 1, all[3];

    begin();
    MPI_Gather(&x, 1, MPI_FLOAT, all, 1, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
