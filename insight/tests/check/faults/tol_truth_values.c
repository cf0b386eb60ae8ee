/* ranks: 2  fault: tolerance  says: logical operations are for C integers and logicals */
#include "program.h"

int main(void)
{
    MPI_Aint x = 1, y = 0;

    begin();
    MPI_Reduce(&x, &y, 1, MPI_AINT, MPI_LAND, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
