/* Ping-pong with 300 ms of silence: the receiver is asleep by then, uses no CPU, and must be woken at once.
 * The best of some rounds counts, because others may use the machine. With a size: messages of that many
 * bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* bytes per second, from and to memory that has long left every cache */
#define SLOWEST 1e8

enum {
    ROUNDS = 4, /* at least, and ... */
    MOST = 20   /* ... as many as it takes */
};

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* More is allowed under a sanitizer, as in tests/CMakeLists.txt. */
static int is_slow(double waited, double used, size_t size)
{
    double slowness = getenv("SANITIZER") ? 5 : 1, copying = (double)size / SLOWEST;

    return waited > slowness * (0.020 + copying) || used > slowness * (0.050 + copying);
}

int main(int argc, char **argv)
{
    struct timespec silence = {0, 300 * 1000 * 1000};
    double best = 1e9, cpu = 1e9, sent, used;
    size_t size = argc > 1 ? (size_t)atol(argv[1]) : 8;
    char *message;
    int rank, slow = 1;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    message = calloc(1, size);
    for (int i = 0; i < ROUNDS || (slow && i < MOST); i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            nanosleep(&silence, NULL);
            sent = seconds(CLOCK_MONOTONIC);
            memcpy(message, &sent, sizeof sent);
            MPI_Send(message, (int)size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            used = seconds(CLOCK_PROCESS_CPUTIME_ID);
            MPI_Recv(message, (int)size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            memcpy(&sent, message, sizeof sent);
            sent = seconds(CLOCK_MONOTONIC) - sent;
            used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
            best = sent < best ? sent : best;
            cpu = used < cpu ? used : cpu;
            slow = is_slow(best, cpu, size);
        }
        MPI_Bcast(&slow, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    free(message);
    MPI_Finalize();
    if (rank == 1)
        printf("woken after %.3f ms, slept for %.3f ms of CPU\n", best * 1e3, cpu * 1e3);
    return rank == 1 && slow;
}
