/* idle [milliseconds]: the share of a core, in percent, that a rank uses while it waits in MPI_Recv for a
 * message that does not come: over one second (or the time given), after the first 100 ms. Rank 0 sleeps
 * meanwhile and reads rank 1's processor clock from outside. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
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

static double share_measure(pid_t pid, long milliseconds)
{
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock))
        return -1;
    rest(100);
    double used = seconds(clock), start = seconds(CLOCK_MONOTONIC);
    rest(milliseconds);
    return 100 * (seconds(clock) - used) / (seconds(CLOCK_MONOTONIC) - start);
}

int main(int argc, char **argv)
{
    int rank, pid = (int)getpid();
    long milliseconds = measure_argument(argc, argv, 1, 1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    if (rank == 0) {
        MPI_Recv(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("idle %.3f\n", share_measure(pid, milliseconds));
        MPI_Send(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
