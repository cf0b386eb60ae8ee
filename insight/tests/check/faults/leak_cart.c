/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Comm x;
    int dims[1] = {2}, periods[1] = {0};

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
