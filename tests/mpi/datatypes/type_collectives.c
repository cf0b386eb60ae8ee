/* ranks: 1 2 3 4 5 8 timeout: 60 also: INKLING_CMA=false */
/* Collectives on items with gaps: a column of a matrix in each of them, other types on other ranks, types
 * whose data begins before or far behind the buffer's address, reductions by user functions on derived types.
 */
#include "p2p.h"

static MPI_Datatype column; /* `rows` ints, one in `WIDTH`; its neighbour begins one int further */
enum {
    WIDTH = 9
};

static void make_column(int rows)
{
    MPI_Datatype vector;

    MPI_Type_vector(rows, 1, WIDTH, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&vector);
}

static int value(int from, int column_, int row)
{
    return from * 10000000 + column_ * 1000000 + row;
}

static int *matrix(int rows)
{
    int *m = malloc(sizeof(int) * (size_t)(rows * WIDTH));

    for (int i = 0; i < rows * WIDTH; i++)
        m[i] = value(rank, i % WIDTH, i / WIDTH);
    return m;
}

static void check_column(const int *m, int rows, int at, int from, int column_)
{
    for (int i = 0; i < rows; i++)
        CHECK_EQ(m[i * WIDTH + at], value(from, column_, i));
}

/* Columns for ranks; run for at most WIDTH ranks. */
static void with_columns(int rows)
{
    int *m = matrix(rows), *w = matrix(rows), *flat = malloc(sizeof(int) * (size_t)(rows * size));

    make_column(rows);
    MPI_Bcast(m + 2, 1, column, size - 1, MPI_COMM_WORLD);
    check_column(m, rows, 2, size - 1, 2);
    check_column(m, rows, 3, rank, 3);
    /* columns out, runs in; only on the even ranks columns in as well */
    MPI_Allgather(w, 1, column, flat, rows, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < rows; i++)
            CHECK_EQ(flat[r * rows + i], value(r, 0, i));
    free(m);
    m = matrix(rows);
    if (rank % 2)
        MPI_Allgather(w, 1, column, flat, rows, MPI_INT, MPI_COMM_WORLD);
    else
        MPI_Allgather(w, 1, column, m, 1, column, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank % 2 == 0; r++)
        check_column(m, rows, r, r, 0);
    MPI_Alltoall(w, 1, column, m, 1, column, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check_column(m, rows, r, r, rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, 1, column, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check_column(w, rows, r, r, rank);
    free(w);
    w = matrix(rows);
    MPI_Gather(w + 1, 1, column, m, 1, column, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank == 0; r++)
        check_column(m, rows, r, r, 1);
    MPI_Scatter(m, 1, column, w, 1, column, 0, MPI_COMM_WORLD);
    check_column(w, rows, 0, rank, 1);
    MPI_Type_free(&column);
    free(m);
    free(w);
    free(flat);
}

/* One int, 40 bytes before the buffer's address; 12 bytes to the next. */
static void add_ints(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_true_extent(*type, &lb, &extent);
    CHECK_EQ(extent, 4);
    for (int i = 0; i < *count; i++)
        *(int *)(void *)((char *)inout + lb + i * 12) += *(int *)(void *)((char *)in + lb + i * 12);
}

static void reductions(int count, int displacement)
{
    int *in = malloc(sizeof(int) * (size_t)(count * 3)), *out = malloc(sizeof(int) * (size_t)(count * 3));
    MPI_Aint displacements[] = {displacement};
    MPI_Datatype moved, type;
    MPI_Op op;

    MPI_Type_create_hindexed_block(1, 1, displacements, MPI_INT, &moved);
    MPI_Type_create_resized(moved, 0, 12, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count * 3; i++) {
        in[i] = rank + i;
        out[i] = -1;
    }
    for (int commute = 0; commute < 2; commute++) {
        MPI_Op_create(add_ints, commute, &op);
        MPI_Allreduce((char *)in - displacement, (char *)out - displacement, count, type, op, MPI_COMM_WORLD);
        for (int i = 0; i < count; i++) {
            CHECK_EQ(out[i * 3], size * (size - 1) / 2 + size * 3 * i);
            CHECK_EQ(out[i * 3 + 1], -1);
        }
        MPI_Scan((char *)in - displacement, (char *)out - displacement, count, type, op, MPI_COMM_WORLD);
        for (int i = 0; i < count; i++)
            CHECK_EQ(out[i * 3], rank * (rank + 1) / 2 + (rank + 1) * 3 * i);
        MPI_Op_free(&op);
    }
    MPI_Type_free(&moved);
    MPI_Type_free(&type);
    free(in);
    free(out);
}

static void locations(void)
{
    struct {
        double value;
        int index;
    } in[3], out[3];

    memset((void *)in, 0, sizeof in);
    for (int i = 0; i < 3; i++) {
        in[i].value = (rank + i) % size;
        in[i].index = rank;
    }
    MPI_Allreduce(in, out, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        CHECK(out[i].value == size - 1);
        CHECK_EQ(out[i].index, (2 * size - 1 - i % size) % size);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    with_columns(3);
    with_columns(1000);
    with_columns(30000);
    reductions(2, -40);
    reductions(1000, 64);
    reductions(40000, -40);
    locations();
    MPI_Finalize();
    return 0;
}
