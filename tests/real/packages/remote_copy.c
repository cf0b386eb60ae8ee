/* ARMCI over windows of MPI: each rank puts into its neighbor's memory, all add to rank 0's, and count with one counter. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COUNT = 1000
};

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all, fetched;
    double values[COUNT], scale = 1;

    MPI_Init(&argc, &argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    void **memory = malloc((size_t)size * sizeof *memory), **counter = malloc((size_t)size * sizeof *counter);
    ARMCI_Malloc(memory, 2 * COUNT * sizeof(double)); /* the neighbor's numbers, then the sums */
    ARMCI_Malloc(counter, sizeof(int));
    ARMCI_Access_begin(memory[rank]);
    for (int i = 0; i < 2 * COUNT; i++)
        ((double *)memory[rank])[i] = 0;
    ARMCI_Access_end(memory[rank]);
    ARMCI_Access_begin(counter[rank]);
    *(int *)counter[rank] = 0;
    ARMCI_Access_end(counter[rank]);
    ARMCI_Barrier();

    int next = (rank + 1) % size;
    for (int i = 0; i < COUNT; i++)
        values[i] = rank + i;
    ARMCI_Put(values, memory[next], sizeof values, next);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, values, (double *)memory[0] + COUNT, sizeof values, 0);
    for (int i = 0; i < 10; i++)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &fetched, counter[0], 1, 0);
    ARMCI_Barrier();
    ARMCI_Get(memory[rank], values, sizeof values, rank);
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != (rank + size - 1) % size + i;
    ARMCI_Get((double *)memory[0] + COUNT, values, sizeof values, 0);
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != size * (size - 1) / 2 + size * i;
    ARMCI_Get(counter[0], &fetched, sizeof fetched, 0);
    wrong += fetched != 10 * size;
    ARMCI_Barrier();
    ARMCI_Free(counter[rank]);
    ARMCI_Free(memory[rank]);
    free(memory);
    free(counter);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("armci: all well\n");
    ARMCI_Finalize();
    MPI_Finalize();
    return all != 0;
}
