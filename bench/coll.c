/* coll [batches [forms [largest [smallest]]]]: the time of each collective, in microseconds, by form and by
 * bytes per rank, from smallest to largest in steps of 8: the median over batches on the slowest rank. Forms:
 * b blocking, n nonblocking and a wait, p persistent (start and wait), s the same on a communicator with
 * mpi_assert_strict_persistent_collective_ordering. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 400 * 1024, /* sizes the batches */
    BATCH_MOST = 100,
    LARGEST = 4 << 20
};

static int rank, size, count;
static long bytes;
static char *in, *out;
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

static const struct {
    const char *name;
    void (*call)(char form);
    int has_size;
} collectives[] = {{"barrier", barrier, 0},
                   {"bcast", bcast, 1},
                   {"reduce", reduce, 1},
                   {"allreduce", allreduce, 1},
                   {"allgather", allgather, 1},
                   {"alltoall", alltoall, 1},
                   {"reduce_scatter_block", reduce_scatter_block, 1}};
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

static void measure(int which, char form, int batches)
{
    int calls = bytes * BATCH_MOST <= BATCH_BYTES ? BATCH_MOST
                : bytes < BATCH_BYTES             ? (int)(BATCH_BYTES / bytes)
                                                  : 1;
    double each[1000], mine, slowest;

    comm = form == 's' ? strict : plain;
    if (form == 'p' || form == 's')
        collectives[which].call(form);
    for (int b = -2 - batches / 10; b < batches; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            call(which, form);
        if (b >= 0)
            each[b] = (MPI_Wtime() - start) / calls * 1e6;
    }
    if (form == 'p' || form == 's')
        MPI_Request_free(&request);
    mine = measure_median(each, batches);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank == 0)
        printf("%s_%c_%ld %.3f\n", collectives[which].name, form, bytes, slowest);
}

static void measure_size(const char *forms, int batches)
{
    for (int which = 0; which < COLLECTIVES; which++)
        for (const char *form = forms; *form; form++)
            if (collectives[which].has_size || bytes == 8)
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
