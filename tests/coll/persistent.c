/* Persistent collectives in any order: each rank starts, completes and frees them in an order of its own,
 * many at once, some far ahead of the others. There are more of them than fit into shared memory, and what is
 * freed is used again. Argument: the seed. */
#include "check.h"

#include <stdbool.h>
#include <unistd.h>

enum kind {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    ALLGATHER,
    ALLTOALL,
    REDUCE_SCATTER,
    GATHER,
    SCATTER,
    EXSCAN,
    SCAN, /* by messages, with many ranks */
    KINDS
};

/* One request; its data. */
struct coll {
    enum kind kind;
    int count, root, round;
    int *in, *out;
    MPI_Request request;
};

static int rank, size, less = 1; /* less: divides what many ranks would take long for */
static unsigned own, shared;     /* random numbers: of this rank, and the same on all */

static int pick(unsigned *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)below);
}

/* What a rank puts in as item i, in this round. */
static int item(const struct coll *c, int of, int i)
{
    return c->round * 1000 + of * 100 + c->count % 90 + i % 7;
}

static int sum_of(const struct coll *c, int ranks, int i)
{
    int sum = 0;

    for (int r = 0; r < ranks; r++)
        sum += item(c, r, i);
    return sum;
}

static void init_request(struct coll *c, MPI_Comm comm)
{
    int error = MPI_SUCCESS;
    MPI_Info none = MPI_INFO_NULL;

    switch (c->kind) {
    case BARRIER:
        error = MPI_Barrier_init(comm, none, &c->request);
        break;
    case BCAST:
        error = MPI_Bcast_init(c->out, c->count, MPI_INT, c->root, comm, none, &c->request);
        break;
    case REDUCE:
        error = MPI_Reduce_init(c->in, c->out, c->count, MPI_INT, MPI_SUM, c->root, comm, none, &c->request);
        break;
    case ALLREDUCE:
        error = MPI_Allreduce_init(c->in, c->out, c->count, MPI_INT, MPI_SUM, comm, none, &c->request);
        break;
    case ALLGATHER:
        error =
            MPI_Allgather_init(c->in, c->count, MPI_INT, c->out, c->count, MPI_INT, comm, none, &c->request);
        break;
    case ALLTOALL:
        error =
            MPI_Alltoall_init(c->in, c->count, MPI_INT, c->out, c->count, MPI_INT, comm, none, &c->request);
        break;
    case REDUCE_SCATTER:
        error =
            MPI_Reduce_scatter_block_init(c->in, c->out, c->count, MPI_INT, MPI_SUM, comm, none, &c->request);
        break;
    case GATHER:
        error = MPI_Gather_init(c->in, c->count, MPI_INT, c->out, c->count, MPI_INT, c->root, comm, none,
                                &c->request);
        break;
    case SCATTER:
        error = MPI_Scatter_init(c->in, c->count, MPI_INT, c->out, c->count, MPI_INT, c->root, comm, none,
                                 &c->request);
        break;
    case EXSCAN:
        error = MPI_Exscan_init(c->in, c->out, c->count, MPI_INT, MPI_SUM, comm, none, &c->request);
        break;
    default:
        error = MPI_Scan_init(c->in, c->out, c->count, MPI_INT, MPI_SUM, comm, none, &c->request);
    }
    CHECK_EQ(error, MPI_SUCCESS);
}

static void make(struct coll *c, enum kind kind, int count, int root, MPI_Comm comm)
{
    size_t ints = (size_t)count * (size_t)size + 1;

    *c = (struct coll){.kind = kind, .count = count, .root = root};
    c->in = calloc(ints, sizeof *c->in);
    c->out = calloc(ints, sizeof *c->out);
    init_request(c, comm);
}

static void drop(struct coll *c)
{
    CHECK_EQ(MPI_Request_free(&c->request), MPI_SUCCESS);
    free(c->in);
    free(c->out);
}

static void fill(struct coll *c, int round)
{
    c->round = round;
    for (int i = 0; i < c->count * size; i++) {
        c->in[i] = item(c, rank, i);
        c->out[i] = c->kind == BCAST && rank == c->root ? item(c, rank, i) : -1;
    }
}

static int expected(const struct coll *c, int i)
{
    switch (c->kind) {
    case BCAST:
        return item(c, c->root, i);
    case REDUCE:
    case ALLREDUCE:
        return sum_of(c, size, i);
    case SCAN:
        return sum_of(c, rank + 1, i);
    case EXSCAN:
        return sum_of(c, rank, i);
    case SCATTER:
        return item(c, c->root, rank * c->count + i);
    case GATHER:
    case ALLGATHER:
        return item(c, i / c->count, i % c->count);
    case ALLTOALL:
        return item(c, i / c->count, rank * c->count + i % c->count);
    default:
        return sum_of(c, size, rank * c->count + i);
    }
}

static void check(const struct coll *c)
{
    bool is_rooted = c->kind == REDUCE || c->kind == GATHER;
    bool has_blocks = c->kind == ALLGATHER || c->kind == ALLTOALL || c->kind == GATHER;
    int count = has_blocks ? c->count * size : c->count;

    if (c->kind == BARRIER || (is_rooted && rank != c->root) || (c->kind == EXSCAN && rank == 0))
        return;
    for (int i = 0; i < count; i += i < 40 || i > count - 40 ? 1 : 37)
        CHECK_EQ(c->out[i], expected(c, i));
}

static void start(struct coll *c, int round)
{
    fill(c, round);
    CHECK_EQ(MPI_Start(&c->request), MPI_SUCCESS);
}

static void finish(struct coll *c)
{
    CHECK_EQ(MPI_Wait(&c->request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check(c);
}

static void linger(void)
{
    if (pick(&own, 16) == 0)
        usleep((useconds_t)pick(&own, 200));
}

/* Collectives of every kind and of lengths around the limits between algorithms, in sequence, so that each
 * rank is ahead of those that are still in the start before. */
static void one_ahead(MPI_Comm comm)
{
    static const int counts[] = {0, 1, 28, 29, 1000, 5000, 20000};

    for (enum kind kind = BARRIER; kind < KINDS; kind++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            struct coll c;

            make(&c, kind, counts[k], (int)k % size, comm);
            for (int round = 0; round < (counts[k] > 1000 ? 12 : 60 / less); round++) {
                start(&c, round);
                linger();
                finish(&c);
            }
            drop(&c);
        }
}

/* The root of a broadcast, and the ranks that send to the root of a reduction, wait for nobody until the
 * memory is used up. */
static void far_ahead(MPI_Comm comm, int count)
{
    struct coll cast, sum;

    make(&cast, BCAST, count, 0, comm);
    make(&sum, REDUCE, count, size - 1, comm);
    for (int round = 0; round < 100; round++) {
        if (rank && round % 40 == 1)
            usleep(2000);
        start(&cast, round);
        finish(&cast);
    }
    for (int round = 0; round < 100; round++) {
        if (rank == size - 1 && round % 40 == 1)
            usleep(2000);
        start(&sum, round);
        finish(&sum);
    }
    drop(&sum);
    drop(&cast);
}

static void shuffle(int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int k = pick(&own, i + 1), swapped = order[i];

        order[i] = order[k];
        order[k] = swapped;
    }
}

/* All of them are started, in one call or one by one, in an order of each rank's own, and end in another. */
static void round_of(struct coll *c, int count, int round)
{
    MPI_Request request[64];
    int order[64];

    shuffle(order, count);
    for (int i = 0; i < count; i++) {
        fill(&c[order[i]], round);
        request[i] = c[order[i]].request;
    }
    if (round % 2)
        CHECK_EQ(MPI_Startall(count, request), MPI_SUCCESS);
    for (int i = 0; round % 2 == 0 && i < count; i++)
        CHECK_EQ(MPI_Start(&request[i]), MPI_SUCCESS);
    linger();
    if (round % 3 == 0)
        CHECK_EQ(MPI_Waitall(count, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    else
        shuffle(order, count);
    for (int i = 0; i < count; i++)
        finish(&c[order[i]]); /* inactive ones are complete */
}

static int some_count(void)
{
    static const int counts[] = {1, 1, 2, 17, 28, 29, 200, 1500, 5000};

    return counts[pick(&shared, sizeof counts / sizeof *counts)];
}

static void any_order(MPI_Comm comm)
{
    enum {
        MANY = 40
    };
    struct coll c[MANY];
    int order[MANY];

    for (int i = 0; i < MANY; i++) {
        enum kind kind = (enum kind)pick(&shared, KINDS);
        int count = some_count();

        make(&c[i], kind, count, pick(&shared, size), comm);
    }
    for (int round = 0; round < 24 / less; round++)
        round_of(c, MANY, round);
    shuffle(order, MANY);
    for (int i = 0; i < MANY; i++)
        drop(&c[order[i]]);
}

/* Requests come and go: some are never started, others freed while other ranks are still in their last start.
 */
static void coming_and_going(MPI_Comm comm)
{
    enum {
        PLACES = 60,
        STEPS = 1500
    };
    static struct coll c[PLACES];
    static int is_used[PLACES];

    for (int step = 0; step < STEPS / less; step++) {
        int place = pick(&shared, PLACES), starts = pick(&shared, 3);

        if (is_used[place])
            drop(&c[place]);
        is_used[place] = 1;
        make(&c[place], (enum kind)pick(&shared, KINDS), some_count(), pick(&shared, size), comm);
        for (int round = 0; round < starts; round++) {
            start(&c[place], round);
            linger();
            finish(&c[place]);
        }
    }
    for (int place = 0; place < PLACES; place++)
        if (is_used[place])
            drop(&c[place]);
    memset(is_used, 0, sizeof is_used);
}

/* More than the ranks have shared memory for; then the same again. */
static void too_many(MPI_Comm comm, int count)
{
    struct coll *c = malloc((size_t)count * sizeof *c);

    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < count; i++)
            make(&c[i], i % 9 ? (enum kind)(i % SCAN) : BCAST, i % 50 ? 1 + i % 3 : 900, i % size, comm);
        for (int i = 0; i < count; i++)
            start(&c[i], i);
        for (int i = count - 1; i >= 0; i--)
            finish(&c[i]);
        for (int i = 0; i < count; i++)
            drop(&c[i]);
    }
    free(c);
}

/* KiB of shared memory that this process has touched. */
static long shared_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof line, f))
        sscanf(line, "RssShmem: %ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

/* What is freed is used again, and goes with its communicator, which may be freed first. Many items are copied once, or go by messages
 * where that is not possible. */
static void nothing_is_left(int count, int makes)
{
    MPI_Comm comm;
    struct coll keeps, c;
    long before = 0;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    make(&keeps, ALLREDUCE, 100, 0, comm);
    for (int i = 0; i < makes / less; i++) {
        make(&c, i % 2 ? BCAST : ALLREDUCE, count, 0, comm);
        drop(&c);
        if (i == makes / 10 / less)
            before = shared_kib();
    }
    CHECK(shared_kib() <= before + 512);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    start(&keeps, 1);
    finish(&keeps);
    drop(&keeps);
}

/* Nobody waits for the others when a communicator goes with ranks in their last start, and its memory goes
 * when all are through. */
static void communicators_go(void)
{
    long before = 0;

    for (int i = 0; i < 300 / less; i++) {
        MPI_Comm comm;
        struct coll cast, sum;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
        make(&sum, ALLREDUCE, 1, 0, comm);
        make(&cast, BCAST, 300, i % size, comm);
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
        linger();
        start(&cast, i);
        start(&sum, i);
        finish(&sum);
        drop(&sum);
        finish(&cast);
        drop(&cast);
        if (i == 100 / less)
            before = shared_kib();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(shared_kib() <= before + 2048);
}

int main(int argc, char **argv)
{
    int many = getenv("TOO_MANY") ? atoi(getenv("TOO_MANY")) : 0;
    int long_ones = getenv("LONG_ONES") ? atoi(getenv("LONG_ONES")) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shared = argc > 1 ? (unsigned)atoi(argv[1]) : 20231;
    if (rank == 0)
        printf("seed %u\n", shared);
    less = size > 8 ? 4 : 1;
    own = shared + 77u * (unsigned)rank;
    if (many)
        too_many(MPI_COMM_WORLD, many);
    else if (long_ones)
        nothing_is_left(long_ones, 5000);
    else {
        one_ahead(MPI_COMM_WORLD);
        far_ahead(MPI_COMM_WORLD, 1);
        far_ahead(MPI_COMM_WORLD, 1000);
        far_ahead(MPI_COMM_WORLD, 8000 / less);
        any_order(MPI_COMM_WORLD);
        coming_and_going(MPI_COMM_WORLD);
        any_order(MPI_COMM_WORLD);
        nothing_is_left(50, 20000);
        communicators_go();
    }
    MPI_Finalize();
    return 0;
}
