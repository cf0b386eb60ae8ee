/* Large collectives that copy between the ranks' own buffers, in every form. The memory is from MPI_Alloc_mem
 * and asserted to be by the communicator, or it is not asserted; then ranks may read it only where the system
 * lets them (ONE_REFUSES: rank 1 does not). In and out of place, from every root, with operations that
 * commute and one that does not; items with gaps on some ranks; a rank that breaks its assertion; and counts
 * that differ, which every rank then learns. */
#include "check.h"

#include <stdbool.h>

enum {
    PRIME = 10007,
    MATRIX = 4,       /* ints */
    MOST = 70 * 1000, /* matrices per rank */
    USES = 8          /* calls before the shared memory is there */
};

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,
    FORMS
};

static int rank, size, starts;
static int *in, *out;
static size_t results; /* ints at `out` that the collective writes, and does not read */
static MPI_Datatype matrix, gapped;
static MPI_Op product;
static enum form form;
static MPI_Request request;

static void multiply(const int *a, const int *b, int *c)
{
    long long p[MATRIX] = {
        (long long)a[0] * b[0] + (long long)a[1] * b[2], (long long)a[0] * b[1] + (long long)a[1] * b[3],
        (long long)a[2] * b[0] + (long long)a[3] * b[2], (long long)a[2] * b[1] + (long long)a[3] * b[3]};

    for (int k = 0; k < MATRIX; k++)
        c[k] = (int)(p[k] % PRIME);
}

static void multiply_all(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        multiply((int *)a + i * MATRIX, (int *)b + i * MATRIX, (int *)b + i * MATRIX);
}

static int value(int r, int item, int k)
{
    return (r * 131 + item * 31 + k * 7 + r * item) % PRIME;
}

/* An item's ints are `gap` ints apart. */
static void fill(int *buffer, int at, int items, int r, int gap)
{
    for (int i = 0; i < items; i++)
        for (int k = 0; k < MATRIX; k++)
            buffer[((at + i) * MATRIX + k) * gap] = value(r, i, k);
}

static void check_from(const int *buffer, int at, int items, int r, int first, int gap)
{
    for (int i = 0; i < items; i++)
        for (int k = 0; k < MATRIX; k++)
            if (buffer[((at + i) * MATRIX + k) * gap] != value(r, first + i, k))
                CHECK_EQ(buffer[((at + i) * MATRIX + k) * gap], value(r, first + i, k));
}

/* Items from `first` on of all ranks' vectors, combined, lie in the buffer. */
static void check_product(const int *buffer, int first, int items)
{
    for (int i = first; i < first + items; i++) {
        int p[MATRIX], left[MATRIX];

        for (int k = 0; k < MATRIX; k++)
            p[k] = value(size - 1, i, k);
        for (int r = size - 2; r >= 0; r--) {
            for (int k = 0; k < MATRIX; k++)
                left[k] = value(r, i, k);
            multiply(left, p, p);
        }
        for (int k = 0; k < MATRIX; k++)
            CHECK_EQ(buffer[(i - first) * MATRIX + k], p[k]);
    }
}

static void check_sum(const int *buffer, int first, int items)
{
    for (int i = first; i < first + items; i++)
        for (int k = 0; k < MATRIX; k++) {
            int sum = 0;

            for (int r = 0; r < size; r++)
                sum += value(r, i, k);
            CHECK_EQ(buffer[(i - first) * MATRIX + k], sum);
        }
}

/* What is to be written holds something else before. */
static void spoil(void)
{
    memset(out, 0xa5, results * sizeof *out);
}

/* This rank's items in their place, and `most` items of results; in place, these are the input. */
static void prepare(bool in_place, int at, int items, int most, int gap)
{
    results = in_place ? 0 : (size_t)most * MATRIX * (size_t)gap;
    spoil();
    fill(in_place ? out : in, at, items, rank, in_place ? gap : 1);
}

static void finish(int error)
{
    CHECK_EQ(error, MPI_SUCCESS);
    if (form == NONBLOCKING)
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; form == PERSISTENT && i < starts; i++) {
        spoil();
        CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    if (form == PERSISTENT)
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

static int allreduce(const void *from, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Allreduce(from, out, count, type, op, comm);
    if (form == NONBLOCKING)
        return MPI_Iallreduce(from, out, count, type, op, comm, &request);
    return MPI_Allreduce_init(from, out, count, type, op, comm, MPI_INFO_NULL, &request);
}

static int reduce(const void *from, void *to, int count, MPI_Op op, int root, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Reduce(from, to, count, matrix, op, root, comm);
    if (form == NONBLOCKING)
        return MPI_Ireduce(from, to, count, matrix, op, root, comm, &request);
    return MPI_Reduce_init(from, to, count, matrix, op, root, comm, MPI_INFO_NULL, &request);
}

static int reduce_scatter(const void *from, const int *counts, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Reduce_scatter(from, out, counts, matrix, product, comm);
    if (form == NONBLOCKING)
        return MPI_Ireduce_scatter(from, out, counts, matrix, product, comm, &request);
    return MPI_Reduce_scatter_init(from, out, counts, matrix, product, comm, MPI_INFO_NULL, &request);
}

static int reduce_scatter_block(const void *from, int count, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Reduce_scatter_block(from, out, count, MPI_INT, MPI_SUM, comm);
    if (form == NONBLOCKING)
        return MPI_Ireduce_scatter_block(from, out, count, MPI_INT, MPI_SUM, comm, &request);
    return MPI_Reduce_scatter_block_init(from, out, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
}

static int bcast(int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Bcast(out, count, type, root, comm);
    if (form == NONBLOCKING)
        return MPI_Ibcast(out, count, type, root, comm, &request);
    return MPI_Bcast_init(out, count, type, root, comm, MPI_INFO_NULL, &request);
}

static int allgather(const void *from, int count, MPI_Datatype type, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Allgather(from, count, matrix, out, count, type, comm);
    if (form == NONBLOCKING)
        return MPI_Iallgather(from, count, matrix, out, count, type, comm, &request);
    return MPI_Allgather_init(from, count, matrix, out, count, type, comm, MPI_INFO_NULL, &request);
}

static int alltoall(const void *from, int count, MPI_Datatype type, MPI_Comm comm)
{
    if (form == BLOCKING)
        return MPI_Alltoall(from, count, matrix, out, count, type, comm);
    if (form == NONBLOCKING)
        return MPI_Ialltoall(from, count, matrix, out, count, type, comm, &request);
    return MPI_Alltoall_init(from, count, matrix, out, count, type, comm, MPI_INFO_NULL, &request);
}

/* What is in place can be combined once. */
static void check_reductions(MPI_Comm comm, int items, bool in_place)
{
    starts = in_place ? 1 : 2;
    prepare(in_place, 0, items, items, 1);
    finish(allreduce(in_place ? MPI_IN_PLACE : in, items, matrix, product, comm));
    check_product(out, 0, items);
    prepare(in_place, 0, items, items, 1);
    finish(allreduce(in_place ? MPI_IN_PLACE : in, items * MATRIX, MPI_INT, MPI_SUM, comm));
    check_sum(out, 0, items);
    for (int root = 0; root < size; root++) {
        bool is_both = in_place && rank == root;

        prepare(is_both, 0, items, items, 1);
        finish(reduce(is_both ? MPI_IN_PLACE : in, rank == root ? out : NULL, items, product, root, comm));
        if (rank == root)
            check_product(out, 0, items);
    }
}

/* Rank 0 gets nothing, the last one what is left. */
static void check_scattered(MPI_Comm comm, int items, bool in_place)
{
    int each = items / size, counts[16] = {0};

    starts = in_place ? 1 : 2;
    prepare(in_place, 0, each * size, each, 1);
    finish(reduce_scatter_block(in_place ? MPI_IN_PLACE : in, each * MATRIX, comm));
    check_sum(out, rank * each, each);
    for (int r = 1; r < size; r++)
        counts[r] = each;
    counts[size - 1] += items - each * (size - 1);
    if (size == 1)
        counts[0] = items;
    prepare(in_place, 0, items, items, 1);
    finish(reduce_scatter(in_place ? MPI_IN_PLACE : in, counts, comm));
    check_product(out, rank ? (rank - 1) * each : 0, counts[rank]);
}

/* Odd ranks have items with gaps where they receive, if wanted. */
static void check_moves(MPI_Comm comm, int items, bool in_place, bool has_gaps)
{
    int gap = has_gaps && rank % 2 ? 2 : 1;
    MPI_Datatype type = gap == 2 ? gapped : matrix;

    starts = 2;
    prepare(in_place, in_place ? rank * items : 0, items, items * size, gap);
    finish(allgather(in_place ? MPI_IN_PLACE : in, items, type, comm));
    for (int r = 0; r < size; r++)
        check_from(out, r * items, items, r, 0, gap);
    for (int root = 0; root < size; root++) {
        prepare(rank == root, 0, items, items, gap);
        finish(bcast(items, type, root, comm));
        check_from(out, 0, items, root, 0, gap);
    }
    starts = in_place ? 1 : 2;
    items /= size;
    prepare(in_place, 0, items * size, items * size, gap);
    finish(alltoall(in_place ? MPI_IN_PLACE : in, items, type, comm));
    for (int r = 0; r < size; r++)
        check_from(out, r * items, items, r, rank * items, gap);
}

static void check_all(MPI_Comm comm)
{
    static const int items[] = {8192, 8193, 20011, MOST};

    for (int i = 0; i < USES; i++)
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    for (form = BLOCKING; form < FORMS; form++)
        for (int i = form == BLOCKING ? 0 : 2; i < 4; i++)
            for (int place = 0; place < 2; place++) {
                check_reductions(comm, items[i], place);
                check_scattered(comm, items[i], place);
                check_moves(comm, items[i], place, i == 2);
            }
    form = BLOCKING;
}

/* In messages, which is how other transports do it, not every rank learns of it, and not all of the same. */
static void check_told(int error)
{
    int told = error != MPI_SUCCESS, all;

    if (!getenv("INKLING_TRANSPORT") && !getenv("INKLING_CMA") && !getenv("ONE_REFUSES"))
        CHECK_EQ(class_of(error), MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Allreduce(&told, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(all > 0);
}

static void check_mismatch(MPI_Comm comm)
{
    int mine = rank == size - 1 ? 20000 : 20001, error;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check_told(MPI_Allreduce(in, out, mine, matrix, product, comm));
    check_told(MPI_Allgather(in, mine, matrix, out, mine, matrix, comm));
    error = MPI_Iallreduce(in, out, mine, matrix, product, comm, &request);
    check_told(error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_reductions(comm, 5000, false);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

/* Several at once, which end in the order of their starts. */
static void check_several(MPI_Comm comm)
{
    enum {
        CALLS = 3,
        ITEMS = 9001
    };
    MPI_Request requests[CALLS];

    fill(in, 0, ITEMS, rank, 1);
    for (int i = 0; i < CALLS; i++)
        CHECK_EQ(MPI_Iallreduce(in, out + i * ITEMS * MATRIX, ITEMS, matrix, product, comm, &requests[i]),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < CALLS; i++)
        check_product(out + i * ITEMS * MATRIX, 0, ITEMS);
}

static MPI_Comm asserted(bool here)
{
    MPI_Comm comm;
    MPI_Info info;

    MPI_Info_create(&info);
    if (here)
        MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "mpi");
    MPI_Info_set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

static void make_types(void)
{
    MPI_Datatype spread;

    MPI_Type_contiguous(MATRIX, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Type_vector(MATRIX, 1, 2, MPI_INT, &spread);
    MPI_Type_create_resized(spread, 0, 2 * MATRIX * (MPI_Aint)sizeof(int), &gapped);
    MPI_Type_commit(&gapped);
    MPI_Type_free(&spread);
    MPI_Op_create(multiply_all, 0, &product);
}

/* Ranks with other memory than they assert: must not break the program. */
static void check_broken(MPI_Comm comm, bool breaks)
{
    int *kept = in, *apart = malloc((size_t)MOST * MATRIX * sizeof(int));

    CHECK(apart != NULL);
    if (breaks)
        in = apart;
    check_all(comm);
    in = kept;
    free(apart);
}

int main(int argc, char **argv)
{
    MPI_Comm all, some, none;
    MPI_Aint bytes = MOST * MATRIX * sizeof(int);
    const char *launched = getenv("PMI_RANK");

    if (getenv("ONE_REFUSES") && launched && atoi(launched) == 1)
        setenv("INKLING_CMA", "false", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    make_types();
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &in);
    MPI_Alloc_mem(bytes * size * 2, MPI_INFO_NULL, &out);
    all = asserted(true);
    some = asserted(rank != size - 1);
    none = asserted(false);
    check_all(all);
    check_all(some);
    check_all(none);
    check_several(none);
    if (size > 1) {
        check_mismatch(all);
        check_mismatch(none);
    }
    check_broken(all, rank == 0);
    MPI_Comm_free(&all);
    MPI_Comm_free(&some);
    MPI_Comm_free(&none);
    MPI_Free_mem(in);
    MPI_Free_mem(out);
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
    MPI_Type_free(&gapped);
    MPI_Finalize();
    return 0;
}
