/* latency [batches]: the time that a message takes from one rank to another, half a round trip, in
 * microseconds.
 *
 * latency: 8 bytes. latency_64K: 64 KiB that nobody touches between the messages. latency_used_64K: the same,
 * but the sender writes them before each message and the receiver reads them after it, and that time counts
 * too. The median over batches of 100 round trips (64 KiB: a tenth as many batches, of 20). */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 8,
    LARGE = 64 << 10,
    PAGE = 4096,
    WARM = 50 /* batches that are not counted */
};

static char *out, *in;
static volatile unsigned long sum; /* so that reading is not left out */

static void data_write(int size, int value)
{
    memset(out, value, (size_t)size);
}

static void data_read(int size)
{
    const unsigned long *word = (const unsigned long *)(const void *)in;
    unsigned long s = 0;
    for (int i = 0; i < size / (int)sizeof *word; i++)
        s += word[i];
    sum += s;
}

static void batch_run(int rank, int size, int trips, int used)
{
    for (int i = 0; i < trips; i++) {
        if (used && rank == 0)
            data_write(size, i);
        if (rank == 0)
            MPI_Send(out, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, size, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (used)
            data_read(size);
        if (used && rank == 1)
            data_write(size, i);
        if (rank == 1)
            MPI_Send(out, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

static void latency_measure(const char *name, int rank, int size, int trips, int used, int batches)
{
    double *each = malloc((size_t)batches * sizeof *each);
    for (int i = -WARM; each && i < batches; i++) {
        double start = MPI_Wtime();
        batch_run(rank, size, trips, used);
        if (i >= 0)
            each[i] = (MPI_Wtime() - start) / (2 * trips) * 1e6;
    }
    if (rank == 0 && each)
        printf("%s %.4f\n", name, measure_median(each, batches));
    free(each);
}

int main(int argc, char **argv)
{
    int rank, batches = (int)measure_argument(argc, argv, 1, 3000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    out = aligned_alloc(PAGE, LARGE);
    in = aligned_alloc(PAGE, LARGE);
    if (!out || !in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(out, 1, LARGE);
    memset(in, 1, LARGE);
    latency_measure("latency", rank, SMALL, 100, 0, batches);
    latency_measure("latency_64K", rank, LARGE, 20, 0, batches / 10);
    latency_measure("latency_used_64K", rank, LARGE, 20, 1, batches / 10);
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
