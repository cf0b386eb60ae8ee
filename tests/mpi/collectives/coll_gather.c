/* ranks: 1 2 3 4 5 8 9 */
/* MPI_Gather, Gatherv, Scatter, Scatterv: every root, in place, arguments that do not count on this rank. */
#include "check.h"

static int rank, size;

/* What rank r contributes at position i. */
static int value(int r, int i)
{
    return r * 100000 + i;
}

static int *numbers(int count, int fill)
{
    int *a = malloc((size_t)(count + 1) * sizeof *a);

    for (int i = 0; i <= count; i++)
        a[i] = fill;
    return a;
}

static int *own_numbers(int count)
{
    int *a = numbers(count, 0);

    for (int i = 0; i < count; i++)
        a[i] = value(rank, i);
    return a;
}

static void check_gathered(const int *all, int count)
{
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count; i++)
            CHECK_EQ(all[r * count + i], value(r, i));
    CHECK_EQ(all[size * count], -1);
}

static void gather_and_scatter(int root, int count)
{
    int *mine = own_numbers(count), *all = numbers(size * count, -1);

    if (rank == root) {
        MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD);
        check_gathered(all, count);
    } else {
        MPI_Gather(mine, count, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    }
    for (int i = 0; i < count; i++)
        mine[i] = -1;
    if (rank == root)
        MPI_Scatter(all, count, MPI_INT, mine, count, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, mine, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        CHECK_EQ(mine[i], value(rank, i));
    free(mine);
    free(all);
}

static void in_place(int root, int count)
{
    int *mine = own_numbers(count), *all = numbers(size * count, -1);

    if (rank == root) {
        memcpy(all + root * count, mine, (size_t)count * sizeof *all);
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, root, MPI_COMM_WORLD);
        check_gathered(all, count);
        MPI_Scatter(all, count, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        check_gathered(all, count);
    } else {
        MPI_Gather(mine, count, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatter(NULL, 0, MPI_INT, mine, count, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < count; i++)
            CHECK_EQ(mine[i], value(rank, i));
    }
    free(mine);
    free(all);
}

/* Rank r has r+1 items (rank 1 none); they lie in reverse rank order with gaps of one. */
static void vectors(int root)
{
    int *counts = numbers(size, 0), *displs = numbers(size, 0), total = 0;
    int mine_count = rank == 1 ? 0 : rank + 1, *mine = own_numbers(size + 1), *all;

    for (int r = size - 1; r >= 0; r--) {
        counts[r] = r == 1 ? 0 : r + 1;
        displs[r] = total;
        total += counts[r] + 1;
    }
    all = numbers(total, -1);
    if (rank == root)
        MPI_Gatherv(mine, mine_count, MPI_INT, all, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Gatherv(mine, mine_count, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    for (int r = 0; rank == root && r < size; r++) {
        for (int i = 0; i < counts[r]; i++)
            CHECK_EQ(all[displs[r] + i], value(r, i));
        CHECK_EQ(all[displs[r] + counts[r]], -1);
    }
    memset(mine, 0xff, (size_t)(size + 1) * sizeof *mine);
    if (rank == root)
        MPI_Scatterv(all, counts, displs, MPI_INT, mine, mine_count, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, mine, mine_count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size + 1; i++)
        CHECK_EQ(mine[i], i < mine_count ? value(rank, i) : -1);
    free(counts);
    free(displs);
    free(mine);
    free(all);
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 5, 3000, 40000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < size; root++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            gather_and_scatter(root, counts[c]);
            in_place(root, counts[c]);
        }
        vectors(root);
    }
    MPI_Finalize();
    return 0;
}
