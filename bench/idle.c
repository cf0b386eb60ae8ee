/* idle [milliseconds]: the share of a core, in percent, that all ranks but rank 0 together use while they
 * wait for it: over one second (or the time given), after the first 100 ms. Rank 0 sleeps meanwhile and reads
 * the others' processor clocks from outside. Two ranks wait in MPI_Recv (`idle`), more in MPI_Allreduce
 * (`idle_allreduce`). */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Of ranks 1 to size - 1. */
static double used(const int *pid, int size)
{
    double total = 0;

    for (int r = 1; r < size; r++) {
        clockid_t clock;
        if (clock_getcpuclockid(pid[r], &clock))
            MPI_Abort(MPI_COMM_WORLD, 1);
        total += seconds(clock);
    }
    return total;
}

static double share_measure(const int *pid, int size, long milliseconds)
{
    rest(100);
    double before = used(pid, size), start = seconds(CLOCK_MONOTONIC);
    rest(milliseconds);
    return 100 * (used(pid, size) - before) / (seconds(CLOCK_MONOTONIC) - start);
}

/* The others wait until rank 0 comes. */
static void meet(int rank, int size)
{
    int value = rank, sum;

    if (size > 2)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, mine = (int)getpid(), *pid;
    long milliseconds = measure_argument(argc, argv, 1, 1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 2)
        measure_cpus();
    pid = calloc((size_t)size, sizeof *pid);
    MPI_Gather(&mine, 1, MPI_INT, pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %.3f\n", size > 2 ? "idle_allreduce" : "idle", share_measure(pid, size, milliseconds));
    meet(rank, size);
    free(pid);
    MPI_Finalize();
    return 0;
}
