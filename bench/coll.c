/* coll [batches [forms [largest [smallest]]]]: the time of each collective, in microseconds, by form and by
 * bytes per rank, from smallest to largest in steps of 8: the median over batches on the slowest rank. Forms:
 * b blocking, n nonblocking and a wait, p persistent (start and wait), s the same on a communicator with
 * mpi_assert_strict_persistent_collective_ordering. A form whose results are wrong is not measured, but told
 * of on standard error. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 400 * 1024, /* sizes the batches */
    BATCH_MOST = 100,
    WARM_UP = 10, /* long calls before those that are timed: the first ones touch new memory */
    CHECKS = 3,   /* calls whose results are looked at: a persistent one must work again */
    LARGEST = 4 << 20
};

static int rank, size, count;
static long bytes;
static double *in, *out;
static MPI_Comm comm, plain, strict;
static MPI_Request request;

#if MPI_VERSION >= 4
#define PERSISTENT(X, ...) MPI_##X##_init(__VA_ARGS__, MPI_INFO_NULL, &request)
#else
#define PERSISTENT(X, ...) (void)0
#endif
#define CALL(X, IX, ...)                                                                                     \
    do {                                                                                                     \
        if (form == 'b')                                                                                     \
            MPI_##X(__VA_ARGS__);                                                                            \
        else if (form == 'n')                                                                                \
            MPI_##IX(__VA_ARGS__, &request);                                                                 \
        else                                                                                                 \
            PERSISTENT(X, __VA_ARGS__);                                                                      \
    } while (0)

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

/* Item i of what a rank puts into a call, all different from one call to the next. */
static double item(int of, long i, int calls)
{
    return 100.0 * calls + 10.0 * of + (double)(i % 7);
}

static double sum(long i, int calls)
{
    double total = 0;

    for (int r = 0; r < size; r++)
        total += item(r, i, calls);
    return total;
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

static const struct {
    const char *name;
    void (*call)(char form);
    int (*is_right)(int calls); /* NULL: it has no data */
} collectives[] = {{"barrier", barrier, NULL},
                   {"bcast", bcast, bcast_is_right},
                   {"reduce", reduce, reduce_is_right},
                   {"allreduce", allreduce, allreduce_is_right},
                   {"allgather", allgather, allgather_is_right},
                   {"alltoall", alltoall, alltoall_is_right},
                   {"reduce_scatter_block", reduce_scatter_block, reduce_scatter_block_is_right}};
enum {
    COLLECTIVES = sizeof collectives / sizeof *collectives
};

static void call(int which, char form)
{
    if (form == 'p' || form == 's')
        MPI_Start(&request);
    else
        collectives[which].call(form);
    if (form != 'b')
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Fills the buffers anew; a broadcast's root gives what is in `out`. */
static void fill(int calls)
{
    for (long i = 0; i < (long)count * size; i++) {
        in[i] = item(rank, i, calls);
        out[i] = rank == 0 ? in[i] : -1;
    }
}

/* Whether the results of some calls are right on all ranks. */
static int works(int which, char form)
{
    int mine = 1, all;

    for (int i = 0; i < CHECKS && collectives[which].is_right; i++) {
        fill(i);
        call(which, form);
        mine &= collectives[which].is_right(i);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, plain);
    if (!all && rank == 0)
        fprintf(stderr, "coll: wrong results: %s, form %c, %ld bytes\n", collectives[which].name, form,
                bytes);
    return all;
}

static double time_batches(int which, char form, int batches)
{
    int calls = bytes * BATCH_MOST <= BATCH_BYTES ? BATCH_MOST
                : bytes < BATCH_BYTES             ? (int)(BATCH_BYTES / bytes)
                                                  : 1;
    double each[1000];

    for (int b = calls > 1 ? -2 - batches / 10 : -WARM_UP; b < batches; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            call(which, form);
        if (b >= 0)
            each[b] = (MPI_Wtime() - start) / calls * 1e6;
    }
    return measure_median(each, batches);
}

static void measure(int which, char form, int batches)
{
    int is_right;
    double mine = 0, slowest;

    comm = form == 's' ? strict : plain;
    if (form == 'p' || form == 's')
        collectives[which].call(form);
    is_right = works(which, form);
    if (is_right)
        mine = time_batches(which, form, batches);
    if (form == 'p' || form == 's')
        MPI_Request_free(&request);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank == 0 && is_right)
        printf("%s_%c_%ld %.3f\n", collectives[which].name, form, bytes, slowest);
}

static void measure_size(const char *forms, int batches)
{
    for (int which = 0; which < COLLECTIVES; which++)
        for (const char *form = forms; *form; form++)
            if (collectives[which].is_right || bytes == 8)
                if ((*form != 'p' && *form != 's') || MPI_VERSION >= 4)
                    measure(which, *form, batches);
}

static void make_comms(void)
{
    static const char hint[] = "mpi_assert_strict_persistent_collective_ordering";
    MPI_Info info;

    MPI_Comm_dup(MPI_COMM_WORLD, &plain);
    MPI_Info_create(&info);
    if (sizeof hint <= MPI_MAX_INFO_KEY) /* the key is longer than some libraries allow */
        MPI_Info_set(info, hint, "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &strict);
    MPI_Info_free(&info);
    MPI_Comm_rank(plain, &rank);
    MPI_Comm_size(plain, &size);
}

int main(int argc, char **argv)
{
    int batches = (int)measure_argument(argc, argv, 1, 100);
    const char *forms = argc > 2 ? argv[2] : "bnp";
    long largest = measure_argument(argc, argv, 3, LARGEST), smallest = measure_argument(argc, argv, 4, 8);

    MPI_Init(&argc, &argv);
    make_comms();
    in = malloc((size_t)(largest * size));
    out = malloc((size_t)(largest * size));
    if (!in || !out || batches > 1000)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(in, 0, (size_t)(largest * size));
    memset(out, 0, (size_t)(largest * size));
    for (bytes = smallest; bytes <= largest; bytes *= 8) {
        count = (int)(bytes / 8);
        measure_size(forms, bytes > 100 * 1024 && batches > 20 ? 20 : batches);
    }
    MPI_Comm_free(&plain);
    MPI_Comm_free(&strict);
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
