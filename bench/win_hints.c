/* win_hints WHAT [rounds]: what a hint on windows is worth, of two ranks: `off` and `on`, in ns an operation, on a
 * window without the hint and on one with it, in turn; the median over the rounds, of the slower rank.
 *
 *     no_locks          MPI_Put of 8 bytes to each other and MPI_Win_fence
 *     accumulate_ops    both ranks replace the same 8 bytes by MPI_Accumulate
 *     accumulate_ordering  MPI_Accumulate of 64 doubles to each other, 16 before a flush
 *     granularity_64K   both ranks add 8,192 integers to the same ones: all under one lock
 *     noncontig         each rank counts, by atomic additions, in its own 8 bytes of shared memory
 *     alignment         MPI_Put of 4 KiB to each other, from aligned memory, and a flush */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITEMS = 8192,
    CALLS = 200
};

static int rank;
static double ones[ITEMS];
static double *base;
static MPI_Win win;

static void put_fence(void)
{
    MPI_Put(ones, 1, MPI_DOUBLE, !rank, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
}

static void replace(void)
{
    MPI_Accumulate(ones, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
}

static void add_many(void)
{
    for (int i = 0; i < 16; i++)
        MPI_Accumulate(ones, 64, MPI_DOUBLE, !rank, 64 * i, 64, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(!rank, win);
}

static void add_8192(void)
{
    MPI_Accumulate(ones, ITEMS, MPI_INT64_T, 0, 0, ITEMS, MPI_INT64_T, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

static void count(void)
{
    for (int i = 0; i < 1000; i++)
        __atomic_fetch_add((long *)(void *)base, 1, __ATOMIC_RELAXED);
}

static void put_4096(void)
{
    MPI_Put(ones, 512, MPI_DOUBLE, !rank, 0, 512, MPI_DOUBLE, win);
    MPI_Win_flush(!rank, win);
}

static const struct workload {
    const char *name, *key, *value;
    void (*call)(void);
    int operations; /* of a call */
    int is_active, is_shared;
    MPI_Aint bytes;
} workloads[] = {
    {"no_locks", "no_locks", "true", put_fence, 1, 1, 0, sizeof ones},
    {"accumulate_ops", "accumulate_ops", "same_op", replace, 1, 0, 0, sizeof ones},
    {"accumulate_ordering", "accumulate_ordering", "none", add_many, 16, 0, 0, sizeof ones},
    {"granularity_64K", "mpi_accumulate_granularity", "65536", add_8192, 1, 0, 0, sizeof ones},
    {"noncontig", "alloc_shared_noncontig", "true", count, 1000, 0, 1, sizeof(double)},
    {"alignment", "mpi_minimum_memory_alignment", "4096", put_4096, 1, 0, 0, 4104},
};

static double time_of(const struct workload *w)
{
    double start, spent;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < CALLS; i++)
        w->call();
    spent = (MPI_Wtime() - start) / CALLS / w->operations * 1e9;
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return spent;
}

static double once(const struct workload *w, MPI_Info info)
{
    double time;

    if (w->is_shared)
        MPI_Win_allocate_shared(w->bytes, sizeof(double), info, MPI_COMM_WORLD, &base, &win);
    else
        MPI_Win_allocate(w->bytes, sizeof(double), info, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, (size_t)w->bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (w->is_active)
        MPI_Win_fence(0, win);
    else
        MPI_Win_lock_all(0, win);
    time_of(w);
    time = time_of(w);
    if (w->is_active)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    else
        MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return time;
}

static int measure(const struct workload *w, int rounds)
{
    double *off = malloc((size_t)rounds * sizeof *off), *on = malloc((size_t)rounds * sizeof *on);
    MPI_Info info;

    if (!off || !on)
        return 1;
    MPI_Info_create(&info);
    MPI_Info_set(info, w->key, w->value);
    for (int i = 0; i < rounds; i++) {
        off[i] = once(w, MPI_INFO_NULL);
        on[i] = once(w, info);
    }
    MPI_Info_free(&info);
    if (rank == 0)
        printf("off %.3f\non %.3f\n", measure_median(off, rounds), measure_median(on, rounds));
    free(off);
    free(on);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int rounds = (int)measure_argument(argc, argv, 2, 200), failed = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (int i = 0; i < ITEMS; i++)
        ones[i] = 1;
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (strcmp(name, workloads[i].name) == 0)
            failed = measure(&workloads[i], rounds);
    MPI_Finalize();
    return failed;
}
