/* Every collective in every form (blocking, nonblocking, persistent started three times), on contiguous and
 * strided items, with predefined and user's operations, commutative or not, in and out of place, from every
 * root, for none to many items. Each rank computes the expected result alone. */
#include "check.h"

#include <stdbool.h>
#include <time.h>

enum {
    INTS = 4,        /* per item: a matrix of 2 x 2 */
    PRIME = 10007,   /* products are taken modulo this */
    UNTOUCHED = -77, /* what no collective may write */
    ROUNDS = 3
};

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,
    FORMS
};

/* One way to hold and combine items. */
struct data {
    const char *name;
    MPI_Datatype type;
    int per_item; /* types in an item */
    int gap;      /* ints from one int of an item to the next */
    MPI_Op op;
    bool multiplies;
};

static int rank, size;
static struct data data;
static int count, root, round_;
static bool in_place;
static enum form form;
static int *in, *out;                   /* size + 1 parts of up to `count` items each, in rank order */
static int *counts, *displs, *bytes_at; /* of the v and w forms */
static MPI_Datatype *types;
static MPI_Request request;

static int value(int r, int item, int k)
{
    return (r * 131 + item * 31 + k * 7 + round_ * 1009 + r * item) % PRIME;
}

static void multiply(const int *a, const int *b, int *product, int gap)
{
    long long p[INTS] = {(long long)a[0] * b[0] + (long long)a[gap] * b[2 * gap],
                         (long long)a[0] * b[gap] + (long long)a[gap] * b[3 * gap],
                         (long long)a[2 * gap] * b[0] + (long long)a[3 * gap] * b[2 * gap],
                         (long long)a[2 * gap] * b[gap] + (long long)a[3 * gap] * b[3 * gap]};

    for (int k = 0; k < INTS; k++)
        product[k * gap] = (int)(p[k] % PRIME);
}

static void combine(const int *left, int *right, int gap, bool multiplies)
{
    if (multiplies)
        multiply(left, right, right, gap);
    else
        for (int k = 0; k < INTS; k++)
            right[k * gap] += left[k * gap];
}

static void multiply_dense(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        combine((int *)a + i * INTS, (int *)b + i * INTS, 1, true);
}

static void multiply_strided(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        combine((int *)a + i * 2 * INTS, (int *)b + i * 2 * INTS, 2, true);
}

static void add_strided(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        combine((int *)a + i * 2 * INTS, (int *)b + i * 2 * INTS, 2, false);
}

static int *item_at(int *buffer, int item)
{
    return buffer + (size_t)item * (size_t)(INTS * data.gap);
}

static void put(int *buffer, int at, int items, int r, int first)
{
    for (int i = 0; i < items; i++)
        for (int k = 0; k < INTS; k++)
            item_at(buffer, at + i)[k * data.gap] = value(r, first + i, k);
}

static void check_gaps(int *buffer, int at, int items)
{
    for (int i = at; data.gap == 2 && i < at + items; i++)
        for (int k = 0; k < INTS; k++)
            CHECK_EQ(item_at(buffer, i)[2 * k + 1], UNTOUCHED);
}

/* Items `first`... of rank r lie at `at`. */
static void check(int *buffer, int at, int items, int r, int first)
{
    for (int i = 0; i < items; i++)
        for (int k = 0; k < INTS; k++)
            if (item_at(buffer, at + i)[k * data.gap] != value(r, first + i, k))
                CHECK_EQ(item_at(buffer, at + i)[k * data.gap], value(r, first + i, k));
    check_gaps(buffer, at, items);
}

/* Whether `at` holds what the ranks from 0 to `last` contributed, combined. */
static void check_combined(int *buffer, int at, int items, int last, int first)
{
    for (int i = 0; i < items; i++) {
        int sum[INTS];

        for (int k = 0; k < INTS; k++)
            sum[k] = value(last, first + i, k);
        for (int r = last - 1; r >= 0; r--) {
            int left[INTS];

            for (int k = 0; k < INTS; k++)
                left[k] = value(r, first + i, k);
            combine(left, sum, 1, data.multiplies);
        }
        for (int k = 0; k < INTS; k++)
            CHECK_EQ(item_at(buffer, at + i)[k * data.gap], sum[k]);
    }
    check_gaps(buffer, at, items);
}

static void check_untouched(int *buffer, int at)
{
    CHECK_EQ(item_at(buffer, at)[0], UNTOUCHED);
}

/* Calls MPI_X(arguments), MPI_IX or MPI_X_init. */
#define CALL(X, IX, ...)                                                                                     \
    CHECK_EQ(form == BLOCKING      ? MPI_##X(__VA_ARGS__)                                                    \
             : form == NONBLOCKING ? MPI_##IX(__VA_ARGS__, &request)                                         \
                                   : MPI_##X##_init(__VA_ARGS__, MPI_INFO_NULL, &request),                   \
             MPI_SUCCESS)

#define N (count * data.per_item)

/* The part of rank r in the v forms: r % 3 thirds of `count`, one item apart. */
static int part_count(int r)
{
    return r % 3 * (count / 2);
}

static int part_at(int r)
{
    return r * (count + 1);
}

/* Nobody leaves before the last one has come, who is late. All ranks of this test share a host and so the
 * monotonic clock. */
static double arrived;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fill_barrier(void)
{
    if (rank == (count + round_) % size)
        nanosleep(&(struct timespec){0, 500000}, NULL);
    arrived = now();
}
static void call_barrier(void)
{
    if (form == BLOCKING)
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    else if (form == NONBLOCKING)
        CHECK_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_SUCCESS);
}
static void check_barrier(void)
{
    double left = now(), last;

    CHECK_EQ(MPI_Allreduce(&arrived, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(left >= last);
}

static void fill_bcast(void)
{
    if (rank == root)
        put(out, 0, count, root, 0);
}
static void call_bcast(void)
{
    CALL(Bcast, Ibcast, out, N, data.type, root, MPI_COMM_WORLD);
}
static void check_bcast(void)
{
    check(out, 0, count, root, 0);
    check_untouched(out, count);
}

/* For gather and allgather: this rank's items, at their place where that is `in place`. */
static void fill_mine(void)
{
    put(in, 0, count, rank, 0);
    if (in_place)
        put(out, rank * count, count, rank, 0);
}
static void call_gather(void)
{
    const void *mine = in_place && rank == root ? MPI_IN_PLACE : in;

    CALL(Gather, Igather, mine, N, data.type, out, N, data.type, root, MPI_COMM_WORLD);
}
static void check_all(void)
{
    for (int r = 0; r < size; r++)
        check(out, r * count, count, r, 0);
    check_untouched(out, size * count);
}
static void check_gather(void)
{
    if (rank == root)
        check_all();
}
static void call_allgather(void)
{
    CALL(Allgather, Iallgather, in_place ? MPI_IN_PLACE : in, N, data.type, out, N, data.type,
         MPI_COMM_WORLD);
}

static void fill_part(void)
{
    put(in, 0, part_count(rank), rank, 0);
    if (in_place)
        put(out, part_at(rank), part_count(rank), rank, 0);
    for (int r = 0; r < size; r++) {
        counts[r] = part_count(r) * data.per_item;
        displs[r] = part_at(r) * data.per_item;
    }
}
static void call_gatherv(void)
{
    const void *mine = in_place && rank == root ? MPI_IN_PLACE : in;

    CALL(Gatherv, Igatherv, mine, counts[rank], data.type, out, counts, displs, data.type, root,
         MPI_COMM_WORLD);
}
static void check_parts(void)
{
    for (int r = 0; r < size; r++) {
        check(out, part_at(r), part_count(r), r, 0);
        check_untouched(out, part_at(r) + part_count(r));
    }
}
static void check_gatherv(void)
{
    if (rank == root)
        check_parts();
}
static void call_allgatherv(void)
{
    CALL(Allgatherv, Iallgatherv, in_place ? MPI_IN_PLACE : in, counts[rank], data.type, out, counts, displs,
         data.type, MPI_COMM_WORLD);
}

/* What the root scatters: to rank r its items from r * count on. */
static void fill_scatter(void)
{
    if (rank == root)
        for (int r = 0; r < size; r++)
            put(in, r * count, count, root, r * count);
}
static void call_scatter(void)
{
    void *mine = in_place && rank == root ? MPI_IN_PLACE : out;

    CALL(Scatter, Iscatter, in, N, data.type, mine, N, data.type, root, MPI_COMM_WORLD);
}
static void check_scatter(void)
{
    if (in_place && rank == root)
        return;
    check(out, 0, count, root, rank * count);
    check_untouched(out, count);
}
static void fill_scatterv(void)
{
    fill_part();
    for (int r = 0; rank == root && r < size; r++)
        put(in, part_at(r), part_count(r), root, r * count);
}
static void call_scatterv(void)
{
    void *mine = in_place && rank == root ? MPI_IN_PLACE : out;

    CALL(Scatterv, Iscatterv, in, counts, displs, data.type, mine, counts[rank], data.type, root,
         MPI_COMM_WORLD);
}
static void check_scatterv(void)
{
    if (!in_place || rank != root)
        check(out, 0, part_count(rank), root, rank * count);
}

/* To rank r go the items from r * count on. */
static void fill_alltoall(void)
{
    for (int r = 0; r < size; r++)
        put(in_place ? out : in, r * count, count, rank, r * count);
}
static void call_alltoall(void)
{
    CALL(Alltoall, Ialltoall, in_place ? MPI_IN_PLACE : in, N, data.type, out, N, data.type, MPI_COMM_WORLD);
}
static void check_alltoall(void)
{
    for (int r = 0; r < size; r++)
        check(out, r * count, count, r, rank * count);
    check_untouched(out, size * count);
}

/* Both ways between a and b go (a + b) % 3 halves. */
static void fill_alltoallv(void)
{
    for (int r = 0; r < size; r++) {
        put(in_place ? out : in, part_at(r), part_count(rank + r), rank, r * count);
        counts[r] = part_count(rank + r) * data.per_item;
        displs[r] = part_at(r) * data.per_item;
        bytes_at[r] = part_at(r) * data.gap * INTS * (int)sizeof(int);
        types[r] = data.type;
    }
}
static void call_alltoallv(void)
{
    CALL(Alltoallv, Ialltoallv, in_place ? MPI_IN_PLACE : in, counts, displs, data.type, out, counts, displs,
         data.type, MPI_COMM_WORLD);
}
static void call_alltoallw(void)
{
    CALL(Alltoallw, Ialltoallw, in_place ? MPI_IN_PLACE : in, counts, bytes_at, types, out, counts, bytes_at,
         types, MPI_COMM_WORLD);
}
static void check_alltoallv(void)
{
    for (int r = 0; r < size; r++) {
        check(out, part_at(r), part_count(rank + r), r, rank * count);
        check_untouched(out, part_at(r) + part_count(rank + r));
    }
}

static void fill_input(void)
{
    put(in_place ? out : in, 0, count, rank, 0);
}
static void fill_reduce(void)
{
    put(in_place && rank == root ? out : in, 0, count, rank, 0);
}
static void call_reduce(void)
{
    const void *mine = in_place && rank == root ? MPI_IN_PLACE : in;

    CALL(Reduce, Ireduce, mine, out, N, data.type, data.op, root, MPI_COMM_WORLD);
}
static void check_allreduce(void)
{
    check_combined(out, 0, count, size - 1, 0);
    check_untouched(out, count);
}
static void check_reduce(void)
{
    if (rank == root)
        check_allreduce();
    else
        check_untouched(out, 0);
}
static void call_allreduce(void)
{
    CALL(Allreduce, Iallreduce, in_place ? MPI_IN_PLACE : in, out, N, data.type, data.op, MPI_COMM_WORLD);
}
static void call_scan(void)
{
    CALL(Scan, Iscan, in_place ? MPI_IN_PLACE : in, out, N, data.type, data.op, MPI_COMM_WORLD);
}
static void check_scan(void)
{
    check_combined(out, 0, count, rank, 0);
    check_untouched(out, count);
}
static void call_exscan(void)
{
    CALL(Exscan, Iexscan, in_place ? MPI_IN_PLACE : in, out, N, data.type, data.op, MPI_COMM_WORLD);
}
static void check_exscan(void)
{
    if (rank)
        check_combined(out, 0, count, rank - 1, 0);
    check_untouched(out, count);
}

static void fill_vector(void)
{
    put(in_place ? out : in, 0, size * count, rank, 0);
}
static void call_reduce_scatter_block(void)
{
    CALL(Reduce_scatter_block, Ireduce_scatter_block, in_place ? MPI_IN_PLACE : in, out, N, data.type,
         data.op, MPI_COMM_WORLD);
}
static void check_piece(void)
{
    check_combined(out, 0, count, size - 1, rank * count);
    if (!in_place)
        check_untouched(out, count);
}
static void fill_pieces(void)
{
    int total = 0;

    for (int r = 0; r < size; r++) {
        counts[r] = part_count(r) * data.per_item;
        total += part_count(r);
    }
    put(in_place ? out : in, 0, total, rank, 0);
}
static void call_reduce_scatter(void)
{
    CALL(Reduce_scatter, Ireduce_scatter, in_place ? MPI_IN_PLACE : in, out, counts, data.type, data.op,
         MPI_COMM_WORLD);
}
static void check_pieces(void)
{
    int first = 0;

    for (int r = 0; r < rank; r++)
        first += part_count(r);
    check_combined(out, 0, part_count(rank), size - 1, first);
}

static const struct {
    void (*fill)(void), (*call)(void), (*check)(void);
    bool has_root, has_place;
} collectives[] = {
    {fill_barrier, call_barrier, check_barrier, false, false},
    {fill_bcast, call_bcast, check_bcast, true, false},
    {fill_mine, call_gather, check_gather, true, true},
    {fill_part, call_gatherv, check_gatherv, true, true},
    {fill_scatter, call_scatter, check_scatter, true, true},
    {fill_scatterv, call_scatterv, check_scatterv, true, true},
    {fill_mine, call_allgather, check_all, false, true},
    {fill_part, call_allgatherv, check_parts, false, true},
    {fill_alltoall, call_alltoall, check_alltoall, false, true},
    {fill_alltoallv, call_alltoallv, check_alltoallv, false, true},
    {fill_alltoallv, call_alltoallw, check_alltoallv, false, true},
    {fill_reduce, call_reduce, check_reduce, true, true},
    {fill_input, call_allreduce, check_allreduce, false, true},
    {fill_vector, call_reduce_scatter_block, check_piece, false, true},
    {fill_pieces, call_reduce_scatter, check_pieces, false, true},
    {fill_input, call_scan, check_scan, false, true},
    {fill_input, call_exscan, check_exscan, false, true},
};
enum {
    COLLECTIVES = sizeof collectives / sizeof *collectives
};

static void refill(int which)
{
    size_t ints = (size_t)((size + 1) * (count + 1)) * INTS * (size_t)data.gap;

    for (size_t i = 0; i < ints; i++)
        in[i] = out[i] = UNTOUCHED;
    collectives[which].fill();
}

static void run(int which)
{
    round_ = 0;
    refill(which);
    collectives[which].call();
    for (round_ = 0; form == PERSISTENT && round_ < (count > 1000 ? 1 : ROUNDS); round_++) {
        refill(which);
        CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        collectives[which].check();
    }
    if (form == PERSISTENT) {
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        return;
    }
    if (form == NONBLOCKING)
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    collectives[which].check();
}

/* Every root for few items, three at most for more, the first for many. */
static int next_root(void)
{
    if (count > 1000)
        return size;
    return count <= 40 || size < 4 ? 1 : size / 2;
}

static void run_everywhere(int which)
{
    for (int place = 0; place < 1 + collectives[which].has_place; place++)
        for (root = 0; root < (collectives[which].has_root ? size : 1); root += next_root())
            for (form = BLOCKING; form < FORMS; form++) {
                in_place = place;
                run(which);
            }
}

static void run_data(struct data with, int items)
{
    size_t ints = (size_t)((size + 1) * (items + 1)) * INTS * (size_t)with.gap;

    data = with;
    count = items;
    in = malloc(ints * sizeof *in);
    out = malloc(ints * sizeof *out);
    for (int which = 0; which < COLLECTIVES; which++)
        run_everywhere(which);
    free(in);
    free(out);
}

static MPI_Datatype strided_type(void)
{
    MPI_Datatype vector, type;

    MPI_Type_vector(INTS, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 2 * INTS * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&vector);
    return type;
}

/* Persistent collectives then take another way. */
static void promise_order(void)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    static const int few[] = {0, 1, 3, 40}, many[] = {250, 9000};
    struct data kinds[] = {{"int, sum", MPI_INT, INTS, 1, MPI_SUM, false},
                           {"dense, product", MPI_DATATYPE_NULL, 1, 1, MPI_OP_NULL, true},
                           {"strided, sum", MPI_DATATYPE_NULL, 1, 2, MPI_OP_NULL, false},
                           {"strided, product", MPI_DATATYPE_NULL, 1, 2, MPI_OP_NULL, true}};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (getenv("STRICT_ORDER"))
        promise_order();
    counts = malloc((size_t)size * sizeof *counts);
    displs = malloc((size_t)size * sizeof *displs);
    bytes_at = malloc((size_t)size * sizeof *bytes_at);
    types = malloc((size_t)size * sizeof *types);
    MPI_Type_contiguous(INTS, MPI_INT, &kinds[1].type);
    MPI_Type_commit(&kinds[1].type);
    kinds[2].type = kinds[3].type = strided_type();
    MPI_Op_create(multiply_dense, 0, &kinds[1].op);
    MPI_Op_create(add_strided, 1, &kinds[2].op);
    MPI_Op_create(multiply_strided, 0, &kinds[3].op);
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            run_data(kinds[k], few[i]);
        run_data(kinds[k], many[0]);
    }
    if (size <= 3)
        run_data(kinds[0], many[1]);
    for (int k = 1; k < 4; k++)
        MPI_Op_free(&kinds[k].op);
    MPI_Type_free(&kinds[1].type);
    MPI_Type_free(&kinds[2].type);
    free(counts);
    free(displs);
    free(bytes_at);
    free(types);
    MPI_Finalize();
    return 0;
}
