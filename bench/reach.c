/* reach [bytes [rounds]]: allreduce and allgather of buffers from MPI_Alloc_mem, on a communicator without
 * mpi_assert_memory_alloc_kinds and on one with it: `off` and `on`, us of an allreduce; off_allgather and
 * on_allgather; and on the first with buffers of malloc: malloc, malloc_allgather; medians. What is reduced
 * is written before, and the result is read, outside the time. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 10
};

static int count;

/* Of MPI_Alloc_mem, or of malloc. */
struct buffers {
    double *in, *out;
};

static double reduce(const struct buffers *b, MPI_Comm comm)
{
    double *in = b->in, *out = b->out;
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

static double gather(const struct buffers *b, MPI_Comm comm)
{
    double *in = b->in, *out = b->out;
    double start;

    for (int i = 0; i < count; i++)
        in[i] = i;
    MPI_Barrier(comm);
    start = MPI_Wtime();
    MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
    return (MPI_Wtime() - start) * 1e6;
}

static void *or_abort(void *memory)
{
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void take(struct buffers *of_mpi, struct buffers *of_malloc, int bytes, int size)
{
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &of_mpi->in);
    MPI_Alloc_mem((MPI_Aint)bytes * size, MPI_INFO_NULL, &of_mpi->out);
    of_malloc->in = or_abort(malloc((size_t)bytes));
    of_malloc->out = or_abort(malloc((size_t)bytes * (size_t)size));
}

int main(int argc, char **argv)
{
    int bytes = (int)measure_argument(argc, argv, 1, 1 << 20), rank, size;
    int rounds = (int)measure_argument(argc, argv, 2, 300);
    static const char *const names[] = {"off",           "on",           "malloc",
                                        "off_allgather", "on_allgather", "malloc_allgather"};
    double *times[6];
    struct buffers buffers[3];
    MPI_Comm comm[3];
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    measure_cpus();
    count = bytes / (int)sizeof(double);
    take(&buffers[0], &buffers[2], bytes, size);
    buffers[1] = buffers[0];
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "mpi");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[1]);
    MPI_Info_free(&info);
    comm[2] = comm[0];
    for (int i = 0; i < 6; i++)
        times[i] = or_abort(malloc((size_t)rounds * sizeof *times[i]));
    for (int i = -WARM; i < rounds; i++)
        for (int k = 0; k < 6; k++) {
            double time = k < 3 ? reduce(&buffers[k], comm[k]) : gather(&buffers[k - 3], comm[k - 3]);

            if (i >= 0)
                times[k][i] = time;
        }
    for (int k = 0; rank == 0 && k < 6; k++)
        printf("%s %.2f\n", names[k], measure_median(times[k], rounds));
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Free_mem(buffers[0].in);
    MPI_Free_mem(buffers[0].out);
    free(buffers[2].in);
    free(buffers[2].out);
    MPI_Finalize();
    return 0;
}
