/* ranks: 2 3 4  timeout: 60  env: INKLING_PROGRESS_THREAD=true  also: INKLING_CMA=false */
/* With a thread of the library's own, what others do with a rank that computes for a second is done long
 * before it calls MPI again: a large allreduce, a large message to it and one from it, a chain of small
 * collectives; also with a user's operation, and while it has asked for no more than MPI_THREAD_SINGLE. */
#include "check.h"

#include <time.h>

enum {
    COUNT = 1 << 17,
    BUSY_MS = 1000,
    SOON_MS = 600, /* with more ranks than cores the one that computes takes its share */
    TRIES = 3      /* a machine may be busy with something else */
};

static int rank, size;
static double *in, *out;

static double now_ms(void)
{
    return MPI_Wtime() * 1e3;
}

static void compute(void)
{
    double end = now_ms() + BUSY_MS;

    while (now_ms() < end)
        ;
}

static void add(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)b)[i] += ((double *)a)[i];
}

/* Rank 0 computes between start and wait; returns how long the others wait at most. */
static double run(void (*start)(MPI_Request *request))
{
    MPI_Request request = MPI_REQUEST_NULL;
    double begin, waited = 0, most;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = now_ms();
    start(&request);
    if (rank == 0)
        compute();
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank)
        waited = now_ms() - begin;
    MPI_Allreduce(&waited, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void check_soon(void (*start)(MPI_Request *request))
{
    int tries = 0;

    while (run(start) > SOON_MS)
        CHECK(++tries < TRIES);
}

static MPI_Op sum;

static void allreduce(MPI_Request *request)
{
    for (int i = 0; i < COUNT; i++)
        in[i] = i + rank;
    CHECK_EQ(MPI_Iallreduce(in, out, COUNT, MPI_DOUBLE, sum, MPI_COMM_WORLD, request), MPI_SUCCESS);
}

static void check_sum(void)
{
    for (int i = 0; i < COUNT; i++)
        CHECK(out[i] == (double)size * i + size * (size - 1) / 2);
}

static void to_the_busy(MPI_Request *request)
{
    if (rank == 0)
        CHECK_EQ(MPI_Irecv(out, COUNT, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request), MPI_SUCCESS);
    else if (rank == 1)
        CHECK_EQ(MPI_Isend(in, COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, request), MPI_SUCCESS);
}

static void from_the_busy(MPI_Request *request)
{
    if (rank == 0)
        CHECK_EQ(MPI_Isend(in, COUNT, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request), MPI_SUCCESS);
    else if (rank == 1)
        CHECK_EQ(MPI_Irecv(out, COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, request), MPI_SUCCESS);
}

static void barrier(MPI_Request *request)
{
    CHECK_EQ(MPI_Ibarrier(MPI_COMM_WORLD, request), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int level;

    MPI_Init(&argc, &argv);
    MPI_Query_thread(&level);
    CHECK_EQ(level, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = malloc(COUNT * sizeof *in);
    out = malloc(COUNT * sizeof *out);
    sum = MPI_SUM;
    check_soon(allreduce);
    check_sum();
    MPI_Op_create(add, 1, &sum);
    check_soon(allreduce);
    check_sum();
    MPI_Op_free(&sum);
    check_soon(to_the_busy);
    check_soon(from_the_busy);
    check_soon(barrier);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
