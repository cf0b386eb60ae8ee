/* survive FILE INDEX JOBS TURNS: what it costs to survive deaths, in microseconds. JOBS jobs like this one, INDEX 0, 1, ..., take turns of some
 * milliseconds, so that what disturbs the machine disturbs all alike. FILE, empty at first, says whose turn it is.
 *
 * latency: half a round trip of 8 bytes between ranks 0 and 1. allreduce: of 8 bytes. dup: MPI_Comm_dup and MPI_Comm_free. In a job that survives
 * also agree, MPIX_Comm_agree, and shrink, MPIX_Comm_shrink and MPI_Comm_free. Rank 0 prints a line `name value` for each in each turn. */
#include "measure.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    TRIPS = 200,
    CALLS = 40,
    MAKERS = 15, /* calls that make communicators */
    WAIT_US = 200
};

static int rank, jobs, own;
static _Atomic unsigned *turn;

static void open_turns(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    if (fd < 0 || ftruncate(fd, sizeof *turn))
        MPI_Abort(MPI_COMM_WORLD, 1);
    turn = mmap(NULL, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (turn == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void await_turn(void)
{
    /* acquire and release: one job measures when the other has ended */
    while (rank == 0 && atomic_load_explicit(turn, memory_order_acquire) % (unsigned)jobs != (unsigned)own)
        usleep(WAIT_US);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void end_turn(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        atomic_fetch_add_explicit(turn, 1, memory_order_release);
}

static void trip_once(void)
{
    char bytes[8] = {0};

    if (rank == 0)
        MPI_Send(bytes, sizeof bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank <= 1)
        MPI_Recv(bytes, sizeof bytes, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(bytes, sizeof bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void reduce_once(void)
{
    double sum;

    MPI_Allreduce(&(double){1}, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void agree_once(void)
{
    MPIX_Comm_agree(MPI_COMM_WORLD, &(int){1});
}

static void dup_once(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

static void shrink_once(void)
{
    MPI_Comm comm;

    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

static void measure(const char *name, void (*call)(void), int calls, double divisor)
{
    double begin;

    call();
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call();
    if (rank == 0)
        printf("%s %.4f\n", name, (MPI_Wtime() - begin) / calls / divisor * 1e6);
}

int main(int argc, char **argv)
{
    long turns = measure_argument(argc, argv, 4, 20);
    int *survives, is_set;

    jobs = (int)measure_argument(argc, argv, 3, 1);
    own = (int)measure_argument(argc, argv, 2, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &survives, &is_set);
    if (rank == 0)
        open_turns(argv[1]);
    for (long i = 0; i < turns; i++) {
        await_turn();
        measure("latency", trip_once, TRIPS, 2);
        measure("allreduce", reduce_once, CALLS, 1);
        if (is_set && *survives)
            measure("agree", agree_once, CALLS, 1);
        measure("dup", dup_once, MAKERS, 1);
        if (is_set && *survives)
            measure("shrink", shrink_once, MAKERS, 1);
        end_turn();
    }
    MPI_Finalize();
    return 0;
}
