/* mismatch NUMBER: ranks that disagree in a collective: in the root, the count, the type, the order of calls,
 * the operation, the form. The outcome may be an error, a wrong result or a hang. But no byte outside of the
 * buffers is written, and no process crashes. Without a number: prints how many cases there are. Ends with
 * MPI_Abort and DONE, or by SIGALRM if a rank hangs. */
#include "check.h"

#include <unistd.h>

enum {
    DONE = 7,
    USES = 8,              /* calls that fit, before */
    MOST = 1 << 16,        /* doubles of one rank */
    GUARD = 64,            /* untouched bytes around each buffer */
    LINGER_US = 300 * 1000 /* so that the others can do their worst */
};

static int rank, size;
static char *guarded[2];
static double *in, *out;
static size_t bytes;

static void *guard(char **memory)
{
    *memory = malloc(bytes + 2 * GUARD);
    memset(*memory, 0x5a, bytes + 2 * GUARD);
    memset(*memory + GUARD, 0, bytes);
    return *memory + GUARD;
}

static void check_guards(void)
{
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < GUARD; at++) {
            CHECK_EQ(guarded[i][at], 0x5a);
            CHECK_EQ(guarded[i][GUARD + bytes + at], 0x5a);
        }
}

static void bcast(int count, int root)
{
    MPI_Bcast(out, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void reduce(int count, int root)
{
    MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void allreduce(int count, int root)
{
    (void)root;
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void iallreduce(int count, int root)
{
    MPI_Request request;

    (void)root;
    if (MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void allgather(int count, int root)
{
    (void)root;
    MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(int count, int root)
{
    (void)root;
    MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void gather(int count, int root)
{
    MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void scatter(int count, int root)
{
    MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void reduce_scatter(int count, int root)
{
    (void)root;
    MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void scan(int count, int root)
{
    (void)root;
    MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(int count, int root)
{
    (void)count, (void)root;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void maximum(int count, int root)
{
    (void)root;
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void bcast_ints(int count, int root)
{
    MPI_Bcast(out, count, MPI_INT, root, MPI_COMM_WORLD);
}

static void start_once(int error, MPI_Request request)
{
    if (error)
        return;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void kept_allreduce(int count, int root)
{
    MPI_Request request;

    (void)root;
    start_once(
        MPI_Allreduce_init(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
        request);
}

static void kept_bcast(int count, int root)
{
    MPI_Request request;

    start_once(MPI_Bcast_init(out, count, MPI_DOUBLE, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               request);
}

static void (*const calls[])(int count, int root) = {bcast,    reduce, allreduce, iallreduce,     allgather,
                                                     alltoall, gather, scatter,   reduce_scatter, scan};
enum {
    CALLS = sizeof calls / sizeof *calls
};

/* The call of most ranks, and the one that differs. */
struct mismatch {
    void (*call)(int count, int root), (*odd)(int count, int root);
    int count, odd_count, odd_root, root;
};

enum {
    PAIRS = 5
};

static const int count_pairs[PAIRS][2] = {{1, 2}, {100, 1}, {256, 4096}, {4096, 256}, {MOST / 2, MOST}};
static const struct mismatch others[] = {
    {bcast, bcast, 1, 1, 1, 0},
    {bcast, bcast, MOST, MOST, 1, 0},
    {reduce, reduce, 1, 1, 1, 0},
    {reduce, reduce, MOST, MOST, 1, 0},
    {gather, gather, 10, 10, 1, 0},
    {scatter, scatter, 10, 10, 1, 0},
    {barrier, allreduce, 1, 1, 0, 0},
    {allgather, alltoall, 1, 1, 0, 0},
    {bcast, reduce, 1, 1, 0, 0},
    {allreduce, reduce_scatter, MOST / 8, MOST / 8, 0, 0},
    {allreduce, iallreduce, 1, 1, 0, 0},
    {allreduce, maximum, 1, 1, 0, 0},
    {allreduce, maximum, MOST, MOST, 0, 0},
    {bcast, bcast_ints, 1, 1, 0, 0},
    {bcast, bcast_ints, 1000, 1000, 0, 0},
    {bcast_ints, bcast, MOST, MOST, 0, 0},
    {bcast, bcast, 1, 1, 0, 1}, /* on two ranks both wait for the other */
    {allreduce, bcast, 1, 1, 0, 0},
    {bcast, allreduce, 100, 100, 0, 0},
    {bcast, barrier, 1, 1, 0, 0},
    {kept_allreduce, kept_allreduce, 1, 2, 0, 0},
    {kept_bcast, kept_bcast, 2, 1, 0, 0},
    {kept_bcast, kept_bcast, 1, 1, 1, 0},
    {kept_allreduce, kept_allreduce, 256, 4096, 0, 0}, /* these are at different places from then on */
    {kept_allreduce, kept_bcast, 1, 1, 0, 0},
    {kept_bcast, kept_allreduce, 300, 10, 0, 0},
    {kept_allreduce, kept_allreduce, MOST / 8, 1, 0, 0},
};
enum {
    OTHERS = sizeof others / sizeof *others,
    CASES = CALLS * PAIRS + OTHERS
};

static struct mismatch mismatch_of(int number)
{
    const int *pair;

    if (number >= CALLS * PAIRS)
        return others[number - CALLS * PAIRS];
    pair = count_pairs[number / CALLS];
    return (struct mismatch){calls[number % CALLS], calls[number % CALLS], pair[0], pair[1], 0, 0};
}

static void run(const struct mismatch *m)
{
    for (int i = 0; i < 3; i++)
        if (rank == size - 1)
            m->odd(m->odd_count, m->odd_root);
        else
            m->call(m->count, m->root);
}

int main(int argc, char **argv)
{
    struct mismatch m;

    if (argc < 3) {
        printf("%d\n", CASES);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    bytes = (size_t)MOST * (size_t)size * sizeof(double);
    in = guard(&guarded[0]);
    out = guard(&guarded[1]);
    for (int i = 0; i < USES; i++)
        allreduce(1, 0);
    alarm((unsigned)atoi(argv[2])); /* then a rank that waits for ever ends */
    m = mismatch_of(atoi(argv[1]));
    run(&m);
    check_guards();
    usleep(LINGER_US);
    check_guards();
    MPI_Abort(MPI_COMM_WORLD, DONE);
    return 0;
}
