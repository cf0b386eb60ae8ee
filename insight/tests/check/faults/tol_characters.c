/* ranks: 2  fault: tolerance  says: MPI_CHAR is in no group of types that the operation takes */
#include "program.h"

int main(void)
{
    char x = 1, y = 0;

    begin();
    MPI_Allreduce(&x, &y, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return y == size ? 0 : 1;
}
