/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[8] = {0};

    begin();
    MPI_Bcast(x, rank ? 4 : 8, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
