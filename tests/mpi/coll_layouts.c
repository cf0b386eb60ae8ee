/* ranks: 1 2 4 5  also: INKLING_REDUCE=star,INKLING_REDUCE_SCATTER=direct */
/* Reductions of items with gaps by user's operations that do not commute: items that lie between each other,
 * as the columns of a matrix do; items that the operation copies whole, gaps included; items at absolute
 * addresses. */
#include "forms.h"

#include <stddef.h>

enum {
    PRIME = 10007,
    COUNT = 40,  /* items of a rank's vector, and of the first one's piece of one */
    PIECE = 10,  /* of another one's */
    WIDTH = 128, /* of the matrix */
    RANKS_MAX = 5,
    UNTOUCHED = -7
};

static int rank, size;

/* x -> a x + b; the first one is applied last */
static void compose(const int *a, const int *b, int *c, int *d)
{
    *d = (int)(((long)*a * *d + *b) % PRIME);
    *c = (int)((long)*a * *c % PRIME);
}

/* A column: a in the first row, b in the second. */
static void compose_columns(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int *left = in, *right = inout;

    (void)type;
    for (int i = 0; i < *count; i++)
        compose(&left[i], &left[WIDTH + i], &right[i], &right[WIDTH + i]);
}

struct wide {
    int before[3], a, b, behind[3];
};

static void compose_wide(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        struct wide left = ((struct wide *)in)[i], right = ((struct wide *)inout)[i];

        compose(&left.a, &left.b, &right.a, &right.b);
        ((struct wide *)inout)[i] = right;
    }
}

/* Two ints in a vector at an absolute address. */
static int vector[2 * COUNT];

static void compose_absolute(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint at;
    int *left, *right;

    (void)type;
    MPI_Get_address(vector, &at);
    left = (int *)((MPI_Aint)in + at);
    right = (int *)((MPI_Aint)inout + at);
    for (int i = 0; i < *count; i++)
        compose(&left[2 * i], &left[2 * i + 1], &right[2 * i], &right[2 * i + 1]);
}

static int a_of(int r, int item)
{
    return 2 + (r * 37 + item * 5) % 1000;
}

static int b_of(int r, int item)
{
    return (r * 101 + item * 11) % PRIME;
}

/* What the ranks up to `last` have together. */
static void check(int item, int last, int a, int b)
{
    int c = a_of(last, item), d = b_of(last, item);

    for (int r = last - 1; r >= 0; r--) {
        int left = a_of(r, item), right = b_of(r, item);

        compose(&left, &right, &c, &d);
    }
    CHECK_EQ(a, c);
    CHECK_EQ(b, d);
}

static MPI_Datatype columns_type(void)
{
    MPI_Datatype column, type;

    MPI_Type_vector(2, 1, WIDTH, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&column);
    return type;
}

static int in[2 * WIDTH], out[2 * WIDTH];

static void fill_columns(int items)
{
    for (int i = 0; i < 2 * WIDTH; i++)
        in[i] = out[i] = UNTOUCHED;
    for (int i = 0; i < items; i++) {
        in[i] = a_of(rank, i);
        in[WIDTH + i] = b_of(rank, i);
    }
    forms_result(out, sizeof out);
}

static void check_columns(int first, int items, int last)
{
    for (int i = 0; i < items; i++)
        check(first + i, last, out[i], out[WIDTH + i]);
    CHECK_EQ(out[WIDTH - 1], UNTOUCHED);
    CHECK_EQ(out[2 * WIDTH - 1], UNTOUCHED);
}

static void columns(void)
{
    MPI_Datatype type = columns_type();
    int pieces[RANKS_MAX];
    MPI_Op op;

    MPI_Op_create(compose_columns, 0, &op);
    for (int r = 0; r < size; r++)
        pieces[r] = r ? PIECE : COUNT;
    for (enum form form = 0; form < FORMS; form++) {
        fill_columns(COUNT);
        CHECK_EQ(RUN(Reduce, Ireduce, in, out, COUNT, type, op, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank == size - 1)
            check_columns(0, COUNT, size - 1);
        fill_columns(COUNT);
        CHECK_EQ(RUN(Allreduce, Iallreduce, in, out, COUNT, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        check_columns(0, COUNT, size - 1);
        fill_columns(COUNT);
        CHECK_EQ(RUN(Scan, Iscan, in, out, COUNT, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        check_columns(0, COUNT, rank);
        fill_columns(COUNT + (size - 1) * PIECE);
        CHECK_EQ(RUN(Reduce_scatter, Ireduce_scatter, in, out, pieces, type, op, MPI_COMM_WORLD),
                 MPI_SUCCESS);
        check_columns(rank ? COUNT + (rank - 1) * PIECE : 0, pieces[rank], size - 1);
        fill_columns(PIECE * size);
        CHECK_EQ(RUN(Reduce_scatter_block, Ireduce_scatter_block, in, out, PIECE, type, op, MPI_COMM_WORLD),
                 MPI_SUCCESS);
        check_columns(rank * PIECE, PIECE, size - 1);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* The two ints in the middle; the function copies what is around them as well. */
static MPI_Datatype wide_type(void)
{
    MPI_Datatype middle, type;
    int length = 2, at = offsetof(struct wide, a) / sizeof(int);

    MPI_Type_indexed(1, &length, &at, MPI_INT, &middle);
    MPI_Type_create_resized(middle, 0, sizeof(struct wide), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&middle);
    return type;
}

static struct wide wide_in[COUNT * RANKS_MAX], wide_out[COUNT * RANKS_MAX];

static void clear_wide(void)
{
    memset(wide_out, 0xff, sizeof wide_out);
    forms_result(wide_out, sizeof wide_out);
}

static void whole_items(void)
{
    MPI_Datatype type = wide_type();
    MPI_Op op;

    MPI_Op_create(compose_wide, 0, &op);
    for (int i = 0; i < COUNT * size; i++)
        wide_in[i] = (struct wide){.a = a_of(rank, i), .b = b_of(rank, i)};
    for (enum form form = 0; form < FORMS; form++) {
        clear_wide();
        CHECK_EQ(RUN(Reduce, Ireduce, wide_in, wide_out, COUNT, type, op, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; rank == 0 && i < COUNT; i++)
            check(i, size - 1, wide_out[i].a, wide_out[i].b);
        clear_wide();
        CHECK_EQ(RUN(Allreduce, Iallreduce, wide_in, wide_out, 1, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        check(0, size - 1, wide_out[0].a, wide_out[0].b);
        clear_wide();
        CHECK_EQ(RUN(Exscan, Iexscan, wide_in, wide_out, COUNT, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; rank && i < COUNT; i++)
            check(i, rank - 1, wide_out[i].a, wide_out[i].b);
        clear_wide();
        CHECK_EQ(RUN(Reduce_scatter_block, Ireduce_scatter_block, wide_in, wide_out, COUNT, type, op,
                     MPI_COMM_WORLD),
                 MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++)
            check(rank * COUNT + i, size - 1, wide_out[i].a, wide_out[i].b);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

static MPI_Datatype absolute_type(void)
{
    MPI_Datatype pair, type;
    MPI_Aint at;
    int length = 2;

    MPI_Get_address(vector, &at);
    MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &pair);
    MPI_Type_create_resized(pair, at, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&pair);
    return type;
}

/* Only the root's vector changes. */
static void bottom(int commutes)
{
    MPI_Datatype type = absolute_type();
    MPI_Op op;

    MPI_Op_create(compose_absolute, commutes, &op);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < COUNT; i++) {
            vector[2 * i] = commutes ? 1 : a_of(rank, i);
            vector[2 * i + 1] = b_of(rank, i);
        }
        CHECK_EQ(MPI_Reduce(rank == root ? MPI_IN_PLACE : MPI_BOTTOM, MPI_BOTTOM, COUNT, type, op, root,
                            MPI_COMM_WORLD),
                 MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++) {
            int sum = 0;

            for (int r = 0; r < size; r++)
                sum += b_of(r, i);
            if (rank == root && commutes)
                CHECK_EQ(vector[2 * i + 1], sum % PRIME);
            else if (rank == root)
                check(i, size - 1, vector[2 * i], vector[2 * i + 1]);
            else
                CHECK_EQ(vector[2 * i + 1], b_of(rank, i));
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* Parts at absolute addresses, the last rank's first. */
static void parts_at_bottom(void)
{
    MPI_Datatype type = absolute_type();
    int mine[2] = {rank, -rank}, ones[RANKS_MAX], places[RANKS_MAX];

    for (int r = 0; r < size; r++) {
        ones[r] = 1;
        places[r] = size - 1 - r;
    }
    CHECK_EQ(MPI_Allgatherv(mine, 2, MPI_INT, MPI_BOTTOM, ones, places, type, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int r = 0; r < size; r++) {
        CHECK_EQ(vector[2 * places[r]], r);
        CHECK_EQ(vector[2 * places[r] + 1], -r);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    columns();
    whole_items();
    bottom(0);
    bottom(1);
    parts_at_bottom();
    MPI_Finalize();
    return 0;
}
