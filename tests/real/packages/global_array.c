/* A global array: each rank puts its neighbor's row, all add to one row, and each gets every row. */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>

enum {
    WIDTH = 100
};

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all;

    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_DBL, 10000, 10000);
    rank = GA_Nodeid();
    size = GA_Nnodes();
    int shape[2] = {size + 1, WIDTH}, array = NGA_Create(C_DBL, 2, shape, "rows", NULL);
    GA_Zero(array);

    int next = (rank + 1) % size, low[2] = {next, 0}, high[2] = {next, WIDTH - 1}, stride = WIDTH;
    double values[WIDTH], one = 1;
    for (int i = 0; i < WIDTH; i++)
        values[i] = next * WIDTH + i;
    NGA_Put(array, low, high, values, &stride);
    low[0] = high[0] = size;
    NGA_Acc(array, low, high, values, &stride, &one);
    GA_Sync();
    for (int row = 0; row <= size; row++) {
        low[0] = high[0] = row;
        NGA_Get(array, low, high, values, &stride);
        for (int i = 0; i < WIDTH; i++)
            wrong += values[i] != (row < size ? row * WIDTH + i : size * (size - 1) / 2 * WIDTH + size * i);
    }
    GA_Sync();
    GA_Destroy(array);
    GA_Terminate();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("ga: all well\n");
    MPI_Finalize();
    return all != 0;
}
