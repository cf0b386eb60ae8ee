/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

/* A column of a grid, which a subarray sends. */
int main(void)
{
    int sizes[2] = {10, 10}, part[2] = {10, 1}, start[2] = {0, 8};
    double grid[10][10];
    MPI_Datatype column;
    MPI_Request request;

    begin();
    for (int i = 0; i < 100; i++)
        grid[i / 10][i % 10] = 1;
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Isend(grid, 1, column, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 10; i++) {
            grid[i][7] = 2;
            grid[i][8] = 3; /* FAULT */
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(grid, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
