/* ranks: 2  fault: tolerance  says: the arrays are shorter than the grid has dimensions */
#include "program.h"

int main(void)
{
    int dims[2] = {2, 1}, periods[2] = {0, 0}, coords[2];
    MPI_Comm grid;

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_get(grid, 1, dims, periods, coords); /* FAULT */
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
