/* reach [bytes [rounds]]: allreduce and allgather of buffers from MPI_Alloc_mem, on a communicator without
 * mpi_assert_memory_alloc_kinds and on one with it: `off` and `on`, us of an allreduce; off_allgather and
 * on_allgather; medians. What is reduced is written before, and the result is read, outside the time. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 10
};

static int count;
static double *in, *out;

static double reduce(MPI_Comm comm)
{
    double start;

    for (int i = 0; i < count; i++)
        in[i] = i;
    MPI_Barrier(comm);
    start = MPI_Wtime();
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    start = MPI_Wtime() - start;
    for (int i = 0; i < count; i++)
        in[0] += out[i];
    return start * 1e6;
}

static double gather(MPI_Comm comm)
{
    double start;

    for (int i = 0; i < count; i++)
        in[i] = i;
    MPI_Barrier(comm);
    start = MPI_Wtime();
    MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
    return (MPI_Wtime() - start) * 1e6;
}

int main(int argc, char **argv)
{
    int bytes = (int)measure_argument(argc, argv, 1, 1 << 20), rank, size;
    int rounds = (int)measure_argument(argc, argv, 2, 300);
    static const char *const names[] = {"off", "on", "off_allgather", "on_allgather"};
    double *times[4];
    MPI_Comm comm[2];
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    measure_cpus();
    count = bytes / (int)sizeof *in;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &in);
    MPI_Alloc_mem((MPI_Aint)bytes * size, MPI_INFO_NULL, &out);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "mpi");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[1]);
    MPI_Info_free(&info);
    for (int i = 0; i < 4; i++)
        times[i] = malloc((size_t)rounds * sizeof *times[i]);
    for (int i = -WARM; i < rounds; i++)
        for (int k = 0; k < 4; k++) {
            double time = k < 2 ? reduce(comm[k]) : gather(comm[k - 2]);

            if (i >= 0)
                times[k][i] = time;
        }
    for (int k = 0; rank == 0 && k < 4; k++)
        printf("%s %.2f\n", names[k], measure_median(times[k], rounds));
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Free_mem(in);
    MPI_Free_mem(out);
    MPI_Finalize();
    return 0;
}
