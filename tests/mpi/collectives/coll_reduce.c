/* ranks: 1 2 3 4 5 8 9  also: INKLING_CMA=false */
/* MPI_Reduce, Allreduce and Reduce_local: every root, in place, pairs, operations that do not commute, and
 * the same bits on every rank. */
#include "check.h"

static int rank, size;

static long value(int r, int i)
{
    return (r + 1) * 1000L + i;
}

static long expected_sum(int i)
{
    return size * (size + 1) / 2 * 1000L + (long)size * i;
}

static void check_sums(const long *sums, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(sums[i], expected_sum(i));
    CHECK_EQ(sums[count], -1);
}

static void sums(int count)
{
    size_t bytes = (size_t)count * sizeof(long);
    long *mine = malloc(bytes + sizeof(long)), *result = malloc(bytes + sizeof(long));

    for (int i = 0; i < count; i++)
        mine[i] = value(rank, i);
    result[count] = -1;
    for (int root = 0; root < size; root++) {
        memset(result, 0, bytes);
        MPI_Reduce(mine, rank == root ? result : NULL, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
        if (rank == root)
            check_sums(result, count);
        memcpy(result, mine, bytes);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : mine, result, count, MPI_LONG, MPI_SUM, root,
                   MPI_COMM_WORLD);
        if (rank == root)
            check_sums(result, count);
    }
    memset(result, 0, bytes);
    MPI_Allreduce(mine, result, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_sums(result, count);
    memcpy(result, mine, bytes);
    MPI_Allreduce(MPI_IN_PLACE, result, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_sums(result, count);
    free(mine);
    free(result);
}

struct pair {
    double value;
    int index;
};

static void locations(void)
{
    struct pair mine[2] = {{rank % 3, rank}, {-(rank % 3), rank}}, low[2], high[2];

    MPI_Allreduce(mine, low, 2, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    MPI_Allreduce(mine, high, 2, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(low[0].value == 0 && low[0].index == 0);
    CHECK(high[1].value == 0 && high[1].index == 0);
    CHECK_EQ(high[0].index, size > 2 ? 2 : size - 1);
    CHECK_EQ(low[1].index, size > 2 ? 2 : size - 1);
}

struct matrix {
    unsigned a, b, c, d;
};

static struct matrix matrix_of(int r, int i)
{
    unsigned seed = (unsigned)(r * 7919 + i * 31 + 1) * 2654435761u;

    return (struct matrix){seed, seed >> 7, seed * 3 + 1, seed >> 13 | 1};
}

static struct matrix times(struct matrix x, struct matrix y)
{
    return (struct matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                           x.c * y.b + x.d * y.d};
}

static MPI_Datatype matrix_type;

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct matrix *left = in, *right = inout;

    CHECK_EQ(*type, matrix_type);
    for (int i = 0; i < *count; i++)
        right[i] = times(left[i], right[i]);
}

/* Products of matrices show any operand out of rank order. */
static void products(int count)
{
    struct matrix *mine = malloc((size_t)count * sizeof *mine),
                  *result = malloc((size_t)count * sizeof *mine);
    struct matrix *expected = malloc((size_t)count * sizeof *mine);
    MPI_Op op;

    MPI_Op_create(multiply, 0, &op);
    for (int i = 0; i < count; i++) {
        mine[i] = matrix_of(rank, i);
        expected[i] = matrix_of(0, i);
        for (int r = 1; r < size; r++)
            expected[i] = times(expected[i], matrix_of(r, i));
    }
    for (int root = 0; root < size; root++) {
        MPI_Reduce(mine, result, count, matrix_type, op, root, MPI_COMM_WORLD);
        CHECK(rank != root || memcmp(result, expected, (size_t)count * sizeof *mine) == 0);
        memcpy(result, mine, (size_t)count * sizeof *mine);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : mine, result, count, matrix_type, op, root, MPI_COMM_WORLD);
        CHECK(rank != root || memcmp(result, expected, (size_t)count * sizeof *mine) == 0);
    }
    MPI_Allreduce(mine, result, count, matrix_type, op, MPI_COMM_WORLD);
    CHECK(memcmp(result, expected, (size_t)count * sizeof *mine) == 0);
    MPI_Op_free(&op);
    CHECK_EQ(op, MPI_OP_NULL);
    free(mine);
    free(result);
    free(expected);
}

/* Sums of such doubles depend on the order; all ranks and all repetitions must agree. */
static void same_bits(int count)
{
    size_t bytes = (size_t)count * sizeof(double);
    double *mine = malloc(bytes), *first = malloc(bytes), *again = malloc(bytes);

    for (int i = 0; i < count; i++)
        mine[i] = 1.0 / (rank * 3 + i % 97 + 1) * (i % 2 ? 1e-9 : 1e9);
    MPI_Allreduce(mine, first, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine, again, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(memcmp(first, again, bytes) == 0);
    MPI_Bcast(again, count, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
    CHECK(memcmp(first, again, bytes) == 0);
    free(mine);
    free(first);
    free(again);
}

static void local(void)
{
    int in[3] = {1, 2, 3}, inout[3] = {10, 20, 30}, commute = -1;

    MPI_Reduce_local(in, inout, 3, MPI_INT, MPI_PROD);
    CHECK_EQ(inout[2], 90);
    MPI_Op_commutative(MPI_MAXLOC, &commute);
    CHECK_EQ(commute, 1);
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 3, 700, 10000, 40000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix_type);
    MPI_Type_commit(&matrix_type);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        sums(counts[c]);
    locations();
    products(1);
    products(6000);
    same_bits(5);
    same_bits(20000);
    local();
    MPI_Type_free(&matrix_type);
    MPI_Finalize();
    return 0;
}
