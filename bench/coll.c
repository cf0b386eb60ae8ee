/* coll [batches [forms [largest [smallest [name [step]]]]]]: the time of each collective, in microseconds, by
 * form (calls.h) and by bytes per rank, from smallest to largest, each `step` (8) times the one before: the
 * median over batches on the slowest rank. */
#include "calls.h"
#include "measure.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = 4 << 20
};

static void barrier(char form)
{
    if (form == 'b')
        MPI_Barrier(comm);
    else if (form == 'n')
        MPI_Ibarrier(comm, &request);
#if MPI_VERSION >= 4
    else
        MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
#endif
}

static void bcast(char form)
{
    CALL(Bcast, Ibcast, out, count, MPI_DOUBLE, 0, comm);
}

static void reduce(char form)
{
    CALL(Reduce, Ireduce, in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
}

static void allreduce(char form)
{
    CALL(Allreduce, Iallreduce, in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}

static void allgather(char form)
{
    CALL(Allgather, Iallgather, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
}

static void alltoall(char form)
{
    CALL(Alltoall, Ialltoall, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
}

static void reduce_scatter_block(char form)
{
    CALL(Reduce_scatter_block, Ireduce_scatter_block, in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}

/* Whether the result of a call is right on this rank. */
static int bcast_is_right(int calls)
{
    int right = 1;

    for (long i = 0; i < count; i++)
        right &= out[i] == item(0, i, calls);
    return right;
}

static int allreduce_is_right(int calls)
{
    int right = 1;

    for (long i = 0; i < count; i++)
        right &= out[i] == sum(i, calls);
    return right;
}

static int reduce_is_right(int calls)
{
    return rank || allreduce_is_right(calls);
}

static int allgather_is_right(int calls)
{
    int right = 1;

    for (long i = 0; i < (long)count * size; i++)
        right &= out[i] == item((int)(i / count), i % count, calls);
    return right;
}

static int alltoall_is_right(int calls)
{
    int right = 1;

    for (long i = 0; i < (long)count * size; i++)
        right &= out[i] == item((int)(i / count), i % count + (long)rank * count, calls);
    return right;
}

static int reduce_scatter_block_is_right(int calls)
{
    int right = 1;

    for (long i = 0; i < count; i++)
        right &= out[i] == sum(i + (long)rank * count, calls);
    return right;
}

static const struct collective collectives[] = {
    {"barrier", barrier, NULL},
    {"bcast", bcast, bcast_is_right},
    {"reduce", reduce, reduce_is_right},
    {"allreduce", allreduce, allreduce_is_right},
    {"allgather", allgather, allgather_is_right},
    {"alltoall", alltoall, alltoall_is_right},
    {"reduce_scatter_block", reduce_scatter_block, reduce_scatter_block_is_right}};

int main(int argc, char **argv)
{
    int batches = (int)measure_argument(argc, argv, 1, 100);
    const char *forms = argc > 2 ? argv[2] : "bnp", *name = argc > 5 ? argv[5] : "";
    long largest = measure_argument(argc, argv, 3, LARGEST), smallest = measure_argument(argc, argv, 4, 8);
    long step = measure_argument(argc, argv, 6, 8);

    MPI_Init(&argc, &argv);
    calls_init(largest, 1);
    if (batches > 1000)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long each = smallest; each <= largest; each *= step)
        for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
            if (strstr(collectives[i].name, name))
                calls_measure(&collectives[i], forms, each, each > 100 * 1024 && batches > 20 ? 20 : batches);
    calls_fini();
    MPI_Finalize();
    return 0;
}
