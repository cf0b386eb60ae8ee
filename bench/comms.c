/* comms world|sessions [level]: making communicators.
 *
 * world: `init_world`, us of MPI_Init; then `dup_free`, us of one MPI_Comm_dup with its MPI_Comm_free, mean
 * of 1000. sessions: `init_sessions`, us of MPI_Session_init and a communicator of mpi://WORLD, with
 * MPI_Init's level of thread support or another; a library without sessions prints nothing. Starts are those
 * of the slowest rank, and all begin at the same time, the next whole tenth of a second, as they must wait
 * for each other otherwise; the median of several runs is what counts. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    CYCLES = 1000,
    WARM = 100
};

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void await_tenth(void)
{
    const double tenth = 1e5;
    double start = now(CLOCK_REALTIME), end = ((double)(long)(start / tenth) + 1) * tenth;

    while (now(CLOCK_REALTIME) < end)
        ;
}

/* The most that a rank took; printed by rank 0. */
static void print_slowest(const char *name, double spent, MPI_Comm comm)
{
    double most;
    int rank;

    MPI_Comm_rank(comm, &rank);
    MPI_Reduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank == 0)
        printf("%s %.3f\n", name, most);
}

static void cycle(int count)
{
    MPI_Comm comm;

    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
}

static void world(void)
{
    int rank;
    double start, spent;

    start = now(CLOCK_MONOTONIC);
    MPI_Init(NULL, NULL);
    spent = now(CLOCK_MONOTONIC) - start;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    print_slowest("init_world", spent, MPI_COMM_WORLD);
    cycle(WARM);
    MPI_Barrier(MPI_COMM_WORLD);
    start = now(CLOCK_MONOTONIC);
    cycle(CYCLES);
    if (rank == 0)
        printf("dup_free %.3f\n", (now(CLOCK_MONOTONIC) - start) / CYCLES);
    MPI_Finalize();
}

#if MPI_VERSION >= 4
static void sessions(const char *level)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    double start = now(CLOCK_MONOTONIC), spent;

    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", level);
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "bench", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    spent = now(CLOCK_MONOTONIC) - start;
    print_slowest("init_sessions", spent, comm);
    MPI_Info_free(&info);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}
#else
static void sessions(const char *level)
{
    (void)level;
    MPI_Init(NULL, NULL);
    MPI_Finalize();
}
#endif

int main(int argc, char **argv)
{
    await_tenth();
    if (argc > 1 && strcmp(argv[1], "sessions") == 0)
        sessions(argc > 2 ? argv[2] : "MPI_THREAD_SINGLE");
    else
        world();
    return 0;
}
