/* stops SECONDS: rank 0 computes for so long, rank 1 waits for it, and then rank 0 prints what it has noticed of being asked: how long it was
 * stopped, and how much work it did while it was asked and while it was not.
 *
 * It reads the clock after each piece of work. Where more time has passed than for a piece, and the thread has given its core away by
 * itself, which it never does, it has been stopped by ptrace. The time in which it could go on and had no core does not belong to that. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    STOPS = 100000,
    SLOTS = 10000,
    SLOT_NS = 100 * 1000 * 1000,
    GAP_NS = 10 * 1000,
    CELLS = 1024
};

struct slot {
    uint64_t work, core_ns, wall_ns;
    int stops;
};

static struct slot slot[SLOTS];
static uint64_t stop_ns[STOPS];
static int slots, stops;
static volatile double grid[CELLS];

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now = {0, 0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long switches(void)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* For how long this thread has been ready to run and had no core (its schedstat in proc(5)). */
static uint64_t delay(void)
{
    static int file = -1;
    unsigned long long core = 0, ready = 0;
    char text[128];
    ssize_t n;

    if (file < 0)
        file = open("/proc/thread-self/schedstat", O_RDONLY);
    n = pread(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    sscanf(text, "%llu %llu", &core, &ready);
    return ready;
}

/* A moment in which more time than for a piece of work has passed. */
static void note_gap(struct slot *s, uint64_t ns)
{
    static long given_before;
    static uint64_t ready_before;
    long given = switches();
    uint64_t ready = delay();

    if (given != given_before && ns && stops < STOPS) {
        uint64_t waited = ready - ready_before;

        stop_ns[stops++] = ns > waited ? ns - waited : 0;
        s->stops++;
    }
    given_before = given;
    ready_before = ready;
}

/* About a microsecond. */
static void work_piece(void)
{
    static int at = 1;

    for (int i = 0; i < 256; i++, at = at == CELLS - 2 ? 1 : at + 1)
        grid[at] = (grid[at - 1] + grid[at + 1]) / 2;
}

static void run_slot(struct slot *s)
{
    uint64_t begin = read_clock(CLOCK_MONOTONIC), core = read_clock(CLOCK_THREAD_CPUTIME_ID), last = begin,
             now = begin;

    note_gap(s, 0); /* the time between is this function's own */
    while (now - begin < SLOT_NS) {
        work_piece();
        s->work++;
        now = read_clock(CLOCK_MONOTONIC);
        if (now - last > GAP_NS) {
            note_gap(s, now - last);
            now = read_clock(CLOCK_MONOTONIC);
        }
        last = now;
    }
    s->wall_ns = now - begin;
    s->core_ns = read_clock(CLOCK_THREAD_CPUTIME_ID) - core;
}

static int compare_times(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

static int compare_rates(const void *a, const void *b)
{
    const double *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

/* The median of the work in a nanosecond of the core or of the clock, of slots with stops or without. */
static double median_rate(int with_stops, int of_core)
{
    static double rate[SLOTS];
    int count = 0;

    for (int i = 0; i < slots; i++)
        if ((slot[i].stops > 0) == with_stops)
            rate[count++] = (double)slot[i].work / (double)(of_core ? slot[i].core_ns : slot[i].wall_ns);
    qsort(rate, (size_t)count, sizeof *rate, compare_rates);
    return count ? rate[count / 2] : 0;
}

static void print_result(void)
{
    uint64_t all = 0;
    int asked = 0;

    for (int i = 0; i < stops; i++)
        all += stop_ns[i];
    for (int i = 0; i < slots; i++)
        asked += slot[i].stops > 0;
    qsort(stop_ns, (size_t)stops, sizeof *stop_ns, compare_times);
    printf("{\"stops\": %d, \"asked_slots\": %d, \"other_slots\": %d", stops, asked, slots - asked);
    if (stops)
        printf(", \"mean_ms\": %.4f, \"median_ms\": %.4f, \"p99_ms\": %.4f, \"most_ms\": %.4f",
               (double)all / stops / 1e6, (double)stop_ns[stops / 2] / 1e6,
               (double)stop_ns[stops * 99 / 100] / 1e6, (double)stop_ns[stops - 1] / 1e6);
    printf(", \"core\": [%.9f, %.9f], \"clock\": [%.9f, %.9f]}\n", median_rate(1, 1), median_rate(0, 1),
           median_rate(1, 0), median_rate(0, 0));
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("ready\n");
        fflush(stdout);
        for (int most = argc > 1 ? 10 * atoi(argv[1]) : 0; slots < most && slots < SLOTS; slots++)
            run_slot(&slot[slots]);
        print_result();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
