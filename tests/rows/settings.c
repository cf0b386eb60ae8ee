/* settings: each library setting that claims to be active does what it says. Run on 2 ranks once per value:
 * INKLING_EAGER_LIMIT, INKLING_OFI_EAGER_LIMIT, INKLING_RING_SIZE, INKLING_SPIN_TIME, INKLING_CMA,
 * INKLING_STAGING_SIZE; the one that is set is tested. */
#include "check.h"
#include "outside.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    MESSAGE_MIN = 64, /* what an empty message takes of the ring, at least and at most */
    MESSAGE_MAX = 512,
    FLOOD = 4096,
    LARGE = 4 << 20,
    PATIENCE = 60 /* seconds: longer than anything takes */
};

static int rank;
static pid_t other;

static int is_sent_at_once(size_t bytes)
{
    static char buffer[1 << 16];
    MPI_Request request;
    int sent = 0;

    if (rank == 1)
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1)
        CHECK_EQ(MPI_Recv(buffer, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    if (rank == 1)
        return 0;
    CHECK_EQ(MPI_Isend(buffer, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Test(&request, &sent, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* the receive comes after it */
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return sent;
}

/* Up to the limit, a message needs no receive. */
static void eager_limit(int limit)
{
    int below, above;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* between hosts they connect first */
    below = is_sent_at_once((size_t)limit);
    above = is_sent_at_once((size_t)limit + 1);
    if (rank == 0)
        CHECK(below && !above);
}

/* So many messages go ahead of a receiver that does not poll. */
static void ring_size(int size)
{
    static MPI_Request request[FLOOD];
    int ahead = 0, done = 1;

    if (rank == 0) {
        CHECK(outside_wait(PATIENCE));
        for (int i = 0; i < FLOOD; i++) {
            CHECK_EQ(MPI_Isend(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[i]), MPI_SUCCESS);
            if (done)
                CHECK_EQ(MPI_Test(&request[i], &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
            ahead += done;
        }
        CHECK(ahead >= size / MESSAGE_MAX && ahead <= size / MESSAGE_MIN);
        outside_call(other);
        CHECK_EQ(MPI_Waitall(FLOOD, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        return;
    }
    outside_call(other);
    CHECK(outside_wait(PATIENCE));
    for (int i = 0; i < FLOOD; i++)
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static double cpu_seconds(void)
{
    clockid_t clock;
    struct timespec t;

    CHECK_EQ(clock_getcpuclockid(other, &clock), 0);
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whether this thread shares its core with another program; then waits rightly sleep. */
static int core_is_shared(void)
{
    struct timespec before, after;
    double end = MPI_Wtime() + 0.2, used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    while (MPI_Wtime() < end)
        ;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    used = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    return used < 0.18;
}

/* What rank 1 uses of a core while it waits: nearly nothing in half a second, or soon a tenth of one. */
static void spin_time(const char *value)
{
    int sleeps = strcmp(value, "0") == 0;
    double begin, used = 0;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1) {
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        return;
    }
    begin = cpu_seconds(); /* of rank 1 */
    for (int i = 0; i < (sleeps ? 1 : 16) && used <= 0.1; i++) {
        usleep(500000);
        used = cpu_seconds() - begin;
    }
    CHECK((used <= 0.1) == sleeps || (!sleeps && core_is_shared()));
    CHECK_EQ(MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
}

/* Whether the system lets this process read the other's memory. */
static int may_read(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};

    return process_vm_readv(other, &here, 1, &there, 1, 0) == 1 || errno == EFAULT;
}

/* Whether a large message comes while its sender does not poll. */
static int comes_by_itself(char *buffer, double patience)
{
    double end = MPI_Wtime() + patience;
    MPI_Request request;
    int has_come = 0;

    CHECK_EQ(MPI_Irecv(buffer, LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    while (!has_come && MPI_Wtime() < end)
        CHECK_EQ(MPI_Test(&request, &has_come, MPI_STATUS_IGNORE), MPI_SUCCESS);
    outside_call(other);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return has_come;
}

/* With single copies the receiver reads a large message where it lies; else its sender has to push it. */
static void cma(int is_allowed)
{
    char *buffer = calloc(LARGE, 1);
    MPI_Request request;

    CHECK(buffer != NULL);
    if (rank == 0) {
        memset(buffer, 7, LARGE);
        CHECK_EQ(MPI_Isend(buffer, LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK(outside_wait(2 * PATIENCE));
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        is_allowed &= may_read();
        CHECK_EQ(comes_by_itself(buffer, is_allowed ? PATIENCE : 0.5), is_allowed);
        for (int i = 0; i < LARGE; i++)
            CHECK_EQ(buffer[i], 7);
    }
    free(buffer);
}

/* What the receiver may not read where it lies, since the program forbids it for a while, its sender sends. */
static void cma_of_guarded(void)
{
    char *buffer = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Request request;

    CHECK(buffer != MAP_FAILED);
    if (rank == 0) {
        memset(buffer, 9, LARGE);
        CHECK_EQ(MPI_Isend(buffer, LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK_EQ(mprotect(buffer + LARGE / 2, LARGE / 4, PROT_NONE), 0);
        outside_call(other);
        CHECK(outside_wait(2 * PATIENCE));
        CHECK_EQ(mprotect(buffer + LARGE / 2, LARGE / 4, PROT_READ), 0);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK(outside_wait(PATIENCE));
        CHECK(!comes_by_itself(buffer, 0.2));
        for (int i = 0; i < LARGE; i++)
            CHECK_EQ(buffer[i], 9);
    }
    munmap(buffer, LARGE);
}

/* A sender is ahead of a receiver that does not poll by what the staging area holds, in messages that are too
 * long for the ring. */
static void staging_size(size_t size)
{
    static char buffer[64][16 << 10];
    static MPI_Request request[64];
    size_t ahead = 0;

    if (rank == 0) {
        CHECK(outside_wait(PATIENCE));
        for (int i = 0, done = 1; i < 64; i++) {
            CHECK_EQ(MPI_Isend(buffer[i], sizeof buffer[i], MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[i]),
                     MPI_SUCCESS);
            if (done)
                CHECK_EQ(MPI_Test(&request[i], &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
            ahead += (size_t)done;
        }
        CHECK(ahead >= size / (64 << 10) && ahead * sizeof buffer[0] <= size);
        outside_call(other);
        CHECK_EQ(MPI_Waitall(64, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        return;
    }
    outside_call(other);
    CHECK(outside_wait(PATIENCE));
    for (int i = 0; i < 64; i++)
        CHECK_EQ(MPI_Recv(buffer[i], sizeof buffer[i], MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *staging = getenv("INKLING_STAGING_SIZE"), *cma_setting = getenv("INKLING_CMA");
    const char *limit = getenv("INKLING_EAGER_LIMIT"), *ring = getenv("INKLING_RING_SIZE"),
               *spin = getenv("INKLING_SPIN_TIME"), *far = getenv("INKLING_OFI_EAGER_LIMIT");

    if (spin && sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return 77; /* with more ranks than cores nobody spins */
    outside_init();
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    other = outside_introduce(rank);
    if (limit && !staging)
        eager_limit(atoi(limit));
    if (far)
        eager_limit(atoi(far));
    if (ring)
        ring_size(atoi(ring));
    if (spin)
        spin_time(spin);
    if (cma_setting)
        cma(strcmp(cma_setting, "false") != 0);
    if (cma_setting)
        cma_of_guarded();
    if (staging)
        staging_size(strchr(staging, 'M') ? (size_t)atoi(staging) << 20 : (size_t)atoi(staging) << 10);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
