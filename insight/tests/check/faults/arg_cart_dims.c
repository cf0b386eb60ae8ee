/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Comm comm;
    int dims[2] = {size + 7, 5}, periods[2] = {0};

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm); /* FAULT */
    MPI_Finalize();
    return 0;
}
