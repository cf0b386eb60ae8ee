/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Comm x;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
