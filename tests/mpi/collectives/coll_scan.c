/* ranks: 1 2 3 4 5 8 9 */
/* MPI_Scan and MPI_Exscan, in and out of place, commuting or not. */
#include "check.h"

static int rank, size;

/* The sum over ranks 0 to r-1 of (their rank + 1) * 100 + i. */
static int sum_below(int r, int i)
{
    return r * (r + 1) / 2 * 100 + r * i;
}

static int *own_vector(int count)
{
    int *a = malloc((size_t)(count + 1) * sizeof *a);

    for (int i = 0; i < count; i++)
        a[i] = (rank + 1) * 100 + i;
    a[count] = -1;
    return a;
}

static void inclusive(int count)
{
    int *mine = own_vector(count), *result = own_vector(count);

    MPI_Scan(mine, result, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(MPI_IN_PLACE, mine, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        CHECK_EQ(result[i], sum_below(rank + 1, i));
        CHECK_EQ(mine[i], sum_below(rank + 1, i));
    }
    CHECK_EQ(result[count], -1);
    free(mine);
    free(result);
}

/* Rank 0 gets nothing: its buffer stays. */
static void exclusive(int count)
{
    int *mine = own_vector(count), *result = own_vector(count);

    MPI_Exscan(mine, result, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(MPI_IN_PLACE, mine, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        CHECK_EQ(result[i], rank ? sum_below(rank, i) : 100 + i);
        CHECK_EQ(mine[i], rank ? sum_below(rank, i) : 100 + i);
    }
    CHECK_EQ(result[count], -1);
    free(mine);
    free(result);
}

/* A range of ranks: joins only with the range that starts where it ends. */
static void join(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int *left = in, *right = inout;

    (void)type;
    for (int i = 0; i < 2 * *count; i += 2) {
        if (left[i + 1] + 1 != right[i])
            right[i + 1] = -1;
        right[i] = left[i];
    }
}

static void in_rank_order(void)
{
    int mine[2] = {rank, rank}, below[2] = {-7, -7}, upto[2];
    MPI_Datatype range;
    MPI_Op op;

    MPI_Type_contiguous(2, MPI_INT, &range);
    MPI_Type_commit(&range);
    MPI_Op_create(join, 0, &op);
    MPI_Scan(mine, upto, 1, range, op, MPI_COMM_WORLD);
    CHECK_EQ(upto[0], 0);
    CHECK_EQ(upto[1], rank);
    MPI_Exscan(mine, below, 1, range, op, MPI_COMM_WORLD);
    CHECK_EQ(below[0], rank ? 0 : -7);
    CHECK_EQ(below[1], rank ? rank - 1 : -7);
    MPI_Op_free(&op);
    MPI_Type_free(&range);
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 5, 3000, 50000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        inclusive(counts[c]);
        exclusive(counts[c]);
    }
    in_rank_order();
    MPI_Finalize();
    return 0;
}
