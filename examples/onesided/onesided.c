/* onesided: a histogram that is spread over all ranks. Each rank counts its numbers straight into the memory of whoever owns the bin, and
 * nobody has to receive anything.
 *
 *     mpiexec -n 4 onesided
 */
#include <mpi.h>
#include <stdio.h>

enum {
    BINS = 16, /* on each rank */
    NUMBERS = 10000
};

/* The same sequence on each machine: a linear congruential generator. */
static unsigned next_number(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

int main(int argc, char **argv)
{
    const int one = 1;
    int rank, size, *bins, mine = 0, all = 0;
    unsigned state;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(BINS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &bins, &window);
    for (int i = 0; i < BINS; i++)
        bins[i] = 0;

    /* Between two fences everybody may access everybody's bins. An accumulate adds as if nobody else did at that moment. */
    MPI_Win_fence(0, window);
    state = (unsigned)rank + 1;
    for (int i = 0; i < NUMBERS; i++) {
        int bin = (int)(next_number(&state) % (unsigned)(BINS * size));

        MPI_Accumulate(&one, 1, MPI_INT, bin / BINS, bin % BINS, 1, MPI_INT, MPI_SUM, window);
    }
    MPI_Win_fence(0, window);

    for (int i = 0; i < BINS; i++)
        mine += bins[i];
    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d numbers are in %d bins\n", all, BINS * size);
    MPI_Win_free(&window);
    MPI_Finalize();
    return rank == 0 && all != NUMBERS * size;
}
