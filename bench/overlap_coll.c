/* overlap_coll [rounds]: how much of a nonblocking allreduce goes on while the ranks compute without calling
 * MPI, in percent: 100 means that computing hides it. The time that it takes alone is computed between its
 * start and its wait; medians over the rounds, by bytes. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = 1 << 20,
    WARM = 5
};

static double *in, *out;

static void compute(double us)
{
    double end = MPI_Wtime() + us / 1e6;

    while (MPI_Wtime() < end)
        ;
}

static double run(int count, double compute_us)
{
    MPI_Request request;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    if (compute_us > 0)
        compute(compute_us);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - start) * 1e6;
}

static double median_of(int count, double compute_us, int rounds, double *times)
{
    double mine, slowest;

    for (int i = -WARM; i < rounds; i++) {
        double time = run(count, compute_us);

        if (i >= 0)
            times[i] = time;
    }
    mine = measure_median(times, rounds);
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

int main(int argc, char **argv)
{
    int rank, rounds = (int)measure_argument(argc, argv, 1, 200);
    double *times = malloc((size_t)rounds * sizeof *times);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    in = calloc(1, LARGEST);
    out = calloc(1, LARGEST);
    for (int bytes = 64 << 10; bytes <= LARGEST; bytes *= 16) {
        int count = bytes / (int)sizeof *in;
        double alone = median_of(count, 0, rounds, times);
        double both = median_of(count, alone, rounds, times), hidden = 100 * (1 - (both - alone) / alone);

        if (rank == 0)
            printf("overlap_%d %.1f\n", bytes, hidden > 0 ? hidden : 0);
    }
    MPI_Finalize();
    free(in);
    free(out);
    free(times);
    return 0;
}
