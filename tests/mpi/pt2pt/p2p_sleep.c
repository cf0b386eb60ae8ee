/* ranks: 2 4 timeout: 30 also: INKLING_SPIN_TIME=0 */
/* A process that waits 300 ms for a message sleeps: it uses little CPU, and it is woken at once. */
#include "p2p.h"

#include <sys/resource.h>
#include <time.h>

enum {
    PAUSE_MS = 300
};

static double cpu_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for the host */
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void send_late(int bytes)
{
    struct timespec t = {0, PAUSE_MS * 1000000};
    double *word = calloc(1, (size_t)bytes);

    nanosleep(&t, NULL);
    word[0] = now();
    for (int i = 1; i < size; i++)
        CHECK_EQ(MPI_Send(word, bytes, MPI_BYTE, i, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    free(word);
}

enum how {
    BY_RECV,
    BY_WAIT,
    BY_WAITANY,
    BY_PROBE,
    BY_SSEND, /* of an answer: sleeps until the receive, then */
    HOWS
};

static void receive(double *word, int bytes, enum how how)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index;

    if (how == BY_RECV)
        CHECK_EQ(MPI_Recv(word, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == BY_WAIT || how == BY_WAITANY)
        CHECK_EQ(MPI_Irecv(word, bytes, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[1]),
                 MPI_SUCCESS);
    if (how == BY_WAIT)
        CHECK_EQ(MPI_Wait(&request[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == BY_WAITANY)
        CHECK_EQ(MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == BY_PROBE) {
        CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(word, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
}

/* Seconds of CPU that the wait took, and from the send to the return. */
static void sleep_once(int bytes, enum how how, double *cpu, double *late)
{
    double *word = calloc(1, (size_t)bytes), before = cpu_seconds();

    if (how == BY_SSEND) {
        CHECK_EQ(MPI_Ssend(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(word, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        receive(word, bytes, how);
    }
    *late = now() - word[0];
    *cpu = cpu_seconds() - before;
    free(word);
}

/* Other programs may keep this one from a core, so the best of a few counts. */
static void sleep_well(int bytes, enum how how)
{
    double cpu = 1, late = 1;

    for (int i = 0; i < 5; i++) {
        double this_cpu = 0, this_late = 0, worst[2], all[2];

        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank)
            sleep_once(bytes, how, &this_cpu, &this_late);
        if (!rank && how == BY_SSEND) {
            struct timespec t = {0, PAUSE_MS * 1000000};

            nanosleep(&t, NULL);
            for (int n = 1; n < size; n++)
                CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, n, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
        if (!rank)
            send_late(bytes);
        worst[0] = this_cpu;
        worst[1] = this_late;
        CHECK_EQ(MPI_Allreduce(worst, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
        cpu = all[0] < cpu ? all[0] : cpu;
        late = all[1] < late ? all[1] : late;
        if (cpu < 0.03 && late < 0.05)
            return;
    }
    fprintf(stderr, "rank %d: %d bytes, kind %d: %.3f s of CPU while asleep, woken after %.3f s\n", rank,
            bytes, how, cpu, late);
    CHECK(cpu < 0.03 && late < 0.05);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    for (int how = 0; how < HOWS; how++) {
        sleep_well(8, (enum how)how);
        sleep_well(100000, (enum how)how);
    }
    MPI_Finalize();
    return 0;
}
