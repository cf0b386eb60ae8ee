/* comms world|sessions: making communicators.
 *
 * world: `init_world`, us of MPI_Init; then `dup_free`, us of one MPI_Comm_dup with its MPI_Comm_free, mean
 * of 1000. sessions: `init_sessions`, us of MPI_Session_init and a communicator of mpi://WORLD; a library
 * without sessions prints nothing. Ranks begin at the same time, the next whole tenth of a second, as they
 * must wait for each other's start otherwise; the median of several runs is what counts. */
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
    if (rank == 0)
        printf("init_world %.3f\n", spent);
    cycle(WARM);
    MPI_Barrier(MPI_COMM_WORLD);
    start = now(CLOCK_MONOTONIC);
    cycle(CYCLES);
    if (rank == 0)
        printf("dup_free %.3f\n", (now(CLOCK_MONOTONIC) - start) / CYCLES);
    MPI_Finalize();
}

#if MPI_VERSION >= 4
static void sessions(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;
    double start = now(CLOCK_MONOTONIC), spent;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "bench", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    spent = now(CLOCK_MONOTONIC) - start;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        printf("init_sessions %.3f\n", spent);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}
#else
static void sessions(void)
{
    MPI_Init(NULL, NULL);
    MPI_Finalize();
}
#endif

int main(int argc, char **argv)
{
    await_tenth();
    if (argc > 1 && strcmp(argv[1], "sessions") == 0)
        sessions();
    else
        world();
    return 0;
}
