/* windows [count]: what a window of 64 bytes a rank costs, by MPI_Win_allocate, without hints and with same_size
 * and same_disp_unit: `off` and `on` us to make and free one, `off_bytes` and `on_bytes` of memory that one takes
 * on a rank while many live; the mean of the ranks. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 20
};

static int rank, count;
static MPI_Win *win;

static void make(int from, int end, MPI_Info info)
{
    void *base;

    for (int i = from; i < end; i++)
        MPI_Win_allocate(64, 8, info, MPI_COMM_WORLD, &base, &win[i]);
}

static void free_all(int from, int end)
{
    for (int i = from; i < end; i++)
        MPI_Win_free(&win[i]);
}

/* The mean of the ranks. */
static void tell(const char *name, double mine)
{
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mine /= ranks;
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %.3f\n", name, mine);
}

static double time_of(MPI_Info info)
{
    double start;

    make(0, WARM, info);
    free_all(0, WARM);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    make(0, count, info);
    free_all(0, count);
    return (MPI_Wtime() - start) / count * 1e6;
}

static double touched_by(int from, int end, MPI_Info info)
{
    double before = measure_touched();

    make(from, end, info);
    return measure_touched() - before;
}

/* After as many others, a few of each in turn, so that both meet what is taken for many at once. All stay meanwhile:
 * none gets another's memory. */
static void tell_bytes(MPI_Info info)
{
    double on = 0, off = 0;
    int at = count, made = 0;

    make(0, count, MPI_INFO_NULL);
    for (; made + WARM <= count; made += WARM, at += 2 * WARM) {
        off += touched_by(at, at + WARM, MPI_INFO_NULL);
        on += touched_by(at + WARM, at + 2 * WARM, info);
    }
    free_all(0, at);
    tell("off_bytes", off / made);
    tell("on_bytes", on / made);
}

int main(int argc, char **argv)
{
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = (int)measure_argument(argc, argv, 1, 500);
    win = malloc(3 * (size_t)(count > WARM ? count : WARM) * sizeof *win);
    if (!win)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Info_set(info, "same_disp_unit", "true");
    tell_bytes(info);
    tell("on", time_of(info));
    tell("off", time_of(MPI_INFO_NULL));
    MPI_Info_free(&info);
    MPI_Finalize();
    free(win);
    return 0;
}
