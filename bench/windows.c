/* windows [count]: what a window of 64 bytes a rank costs, by MPI_Win_allocate, without hints and with same_size
 * and same_disp_unit: `off` and `on` us to make and free one, `off_bytes` and `on_bytes` of memory that one takes
 * on a rank while `count` of them live, the largest rank's. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 20
};

static int rank, count;
static MPI_Win *win;

static void make(int windows, MPI_Info info)
{
    void *base;

    for (int i = 0; i < windows; i++)
        MPI_Win_allocate(64, 8, info, MPI_COMM_WORLD, &base, &win[i]);
}

static void free_all(int windows)
{
    for (int i = 0; i < windows; i++)
        MPI_Win_free(&win[i]);
}

static void measure(const char *name, MPI_Info info)
{
    double start, times[2], bytes;

    make(WARM, info);
    free_all(WARM);
    MPI_Barrier(MPI_COMM_WORLD);
    bytes = measure_touched();
    start = MPI_Wtime();
    make(count, info);
    times[0] = (MPI_Wtime() - start) / count * 1e6;
    bytes = (measure_touched() - bytes) / count;
    start = MPI_Wtime();
    free_all(count);
    times[1] = (MPI_Wtime() - start) / count * 1e6;
    times[0] += times[1];
    MPI_Allreduce(MPI_IN_PLACE, &times[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %.3f\n%s_bytes %.0f\n", name, times[0], name, bytes);
}

int main(int argc, char **argv)
{
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = (int)measure_argument(argc, argv, 1, 500);
    win = malloc((size_t)(count > WARM ? count : WARM) * sizeof *win);
    if (!win)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Info_set(info, "same_disp_unit", "true");
    measure("on", info); /* first: memory that is kept for later windows counts for the other */
    measure("off", MPI_INFO_NULL);
    MPI_Info_free(&info);
    MPI_Finalize();
    free(win);
    return 0;
}
