/* ranks: 1 2 3 4 5 8 9 */
/* MPI_Reduce_scatter_block and MPI_Reduce_scatter, in and out of place, commuting or not. */
#include "check.h"

static int rank, size;

static int value(int r, int i)
{
    return (r + 1) * 100 + i;
}

static int expected_sum(int i)
{
    return size * (size + 1) / 2 * 100 + size * i;
}

static void check_piece(const int *piece, int first, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(piece[i], expected_sum(first + i));
}

static int *own_vector(int total)
{
    int *a = malloc((size_t)(total + 1) * sizeof *a);

    for (int i = 0; i < total; i++)
        a[i] = value(rank, i);
    return a;
}

static void equal_pieces(int count)
{
    int *mine = own_vector(count * size), *piece = own_vector(count);

    MPI_Reduce_scatter_block(mine, piece, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_piece(piece, rank * count, count);
    for (int i = 0; i < count * size; i++)
        CHECK_EQ(mine[i], value(rank, i));
    MPI_Reduce_scatter_block(MPI_IN_PLACE, mine, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_piece(mine, rank * count, count);
    free(mine);
    free(piece);
}

/* Rank r gets (r % 3) * unit items. */
static void unequal_pieces(int unit)
{
    int counts[16], total = 0, first = 0, *mine, *piece;

    for (int r = 0; r < size; r++) {
        counts[r] = r % 3 * unit;
        first += r < rank ? counts[r] : 0;
        total += counts[r];
    }
    mine = own_vector(total);
    piece = own_vector(counts[rank]);
    MPI_Reduce_scatter(mine, piece, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_piece(piece, first, counts[rank]);
    MPI_Reduce_scatter(MPI_IN_PLACE, mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_piece(mine, first, counts[rank]);
    free(mine);
    free(piece);
}

/* Keeps the left operand's first and the right one's last rank; anything out of order gives -1. */
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

static void in_rank_order(int count)
{
    int *ranges = malloc((size_t)(2 * count * size + 1) * sizeof *ranges);
    MPI_Datatype range;
    MPI_Op op;

    MPI_Type_contiguous(2, MPI_INT, &range);
    MPI_Type_commit(&range);
    MPI_Op_create(join, 0, &op);
    for (int i = 0; i < 2 * count * size; i++)
        ranges[i] = rank;
    MPI_Reduce_scatter_block(MPI_IN_PLACE, ranges, count, range, op, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        CHECK_EQ(ranges[2 * i], 0);
        CHECK_EQ(ranges[2 * i + 1], size - 1);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&range);
    free(ranges);
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 5, 300, 20000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        equal_pieces(counts[c]);
        unequal_pieces(counts[c]);
        in_rank_order(counts[c]);
    }
    MPI_Finalize();
    return 0;
}
