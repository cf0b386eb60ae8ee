/* Large blocking collectives on buffers of MPI_Alloc_mem that the communicator asserts to be such: in and out
 * of place, from every root, with operations that do not commute; where a rank does not assert it, or has
 * other memory; and where the ranks' counts differ, which then every rank learns. */
#include "check.h"

#include <stdbool.h>

enum {
    PRIME = 10007,
    MATRIX = 4,       /* ints */
    MOST = 80 * 1000, /* matrices per rank */
    USES = 8          /* calls before slots are there */
};

static int rank, size;
static int *in, *out;
static MPI_Datatype matrix;
static MPI_Op product;

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

static void fill(int *buffer, int at, int items, int r)
{
    for (int i = 0; i < items; i++)
        for (int k = 0; k < MATRIX; k++)
            buffer[(at + i) * MATRIX + k] = value(r, i, k);
}

static void check(const int *buffer, int at, int items, int r)
{
    for (int i = 0; i < items; i++)
        for (int k = 0; k < MATRIX; k++)
            CHECK_EQ(buffer[(at + i) * MATRIX + k], value(r, i, k));
}

static void check_product(const int *buffer, int items)
{
    for (int i = 0; i < items; i++) {
        int p[MATRIX], left[MATRIX];

        for (int k = 0; k < MATRIX; k++)
            p[k] = value(size - 1, i, k);
        for (int r = size - 2; r >= 0; r--) {
            for (int k = 0; k < MATRIX; k++)
                left[k] = value(r, i, k);
            multiply(left, p, p);
        }
        for (int k = 0; k < MATRIX; k++)
            CHECK_EQ(buffer[i * MATRIX + k], p[k]);
    }
}

static void check_reductions(MPI_Comm comm, int items, bool in_place)
{
    fill(in_place ? out : in, 0, items, rank);
    CHECK_EQ(MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, items, matrix, product, comm), MPI_SUCCESS);
    check_product(out, items);
    for (int root = 0; root < size; root++) {
        bool is_both = in_place && rank == root;

        fill(is_both ? out : in, 0, items, rank);
        CHECK_EQ(MPI_Reduce(is_both ? MPI_IN_PLACE : in, rank == root ? out : NULL, items, matrix, product,
                            root, comm),
                 MPI_SUCCESS);
        if (rank == root)
            check_product(out, items);
    }
}

static void check_moves(MPI_Comm comm, int items, bool in_place)
{
    fill(in_place ? out : in, in_place ? rank * items : 0, items, rank);
    CHECK_EQ(MPI_Allgather(in_place ? MPI_IN_PLACE : in, items, matrix, out, items, matrix, comm),
             MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        check(out, r * items, items, r);
    for (int root = 0; root < size; root++) {
        memset(out, 0, (size_t)items * MATRIX * sizeof *out);
        if (rank == root)
            fill(out, 0, items, root);
        CHECK_EQ(MPI_Bcast(out, items, matrix, root, comm), MPI_SUCCESS);
        check(out, 0, items, root);
    }
}

static void check_all(MPI_Comm comm)
{
    static const int items[] = {8192, 8193, 20011, MOST};

    for (int i = 0; i < USES; i++)
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    for (int i = 0; i < 4; i++)
        for (int place = 0; place < 2; place++) {
            check_reductions(comm, items[i], place);
            check_moves(comm, items[i], place);
        }
}

/* In messages, which is how other transports do it, not every rank learns of it, and not all of the same. */
static void check_told(int error)
{
    int class;

    MPI_Error_class(error, &class);
    if (!getenv("INKLING_TRANSPORT"))
        CHECK_EQ(class, MPI_ERR_TRUNCATE);
}

static void check_mismatch(MPI_Comm comm)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (size > 2)
        check_told(MPI_Bcast(out, rank == size - 1 ? 20000 : 20001, matrix, 0, comm));
    check_told(MPI_Allreduce(in, out, rank == size - 1 ? 20000 : 20001, matrix, product, comm));
    check_reductions(comm, 5000, false);
}

static MPI_Comm asserted(bool here)
{
    MPI_Comm comm;
    MPI_Info info;

    MPI_Info_create(&info);
    if (here)
        MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "mpi");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Comm all, some;
    MPI_Aint bytes = MOST * MATRIX * sizeof(int);
    int *apart;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(MATRIX, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply_all, 0, &product);
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &in);
    MPI_Alloc_mem(bytes * size, MPI_INFO_NULL, &out);
    all = asserted(true);
    some = asserted(rank != size - 1);
    check_all(all);
    check_all(some);
    if (size > 1)
        check_mismatch(all);
    apart = malloc((size_t)bytes);
    if (rank == 0) { /* breaks the assertion: must not break the program */
        int *kept = in;

        in = apart;
        check_all(all);
        in = kept;
    } else {
        check_all(all);
    }
    free(apart);
    MPI_Comm_free(&all);
    MPI_Comm_free(&some);
    MPI_Free_mem(in);
    MPI_Free_mem(out);
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
    MPI_Finalize();
    return 0;
}
