/* ranks: 2  fault: tolerance  says: the operation is not for the datatype of its 0 items */
#include "program.h"

int main(void)
{
    double x = 1, y = 0;

    begin();
    MPI_Allreduce(&x, &y, 0, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
