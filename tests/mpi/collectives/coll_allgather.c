/* ranks: 1 2 3 4 5 8 9 */
/* MPI_Allgather and Allgatherv: sizes on both sides of each algorithm's limits, in place, empty parts. */
#include "check.h"

static int rank, size;

static int value(int r, int i)
{
    return r * 1000000 + i;
}

static int *numbers(int count)
{
    int *a = malloc((size_t)(count + 1) * sizeof *a);

    memset(a, 0xff, (size_t)(count + 1) * sizeof *a);
    return a;
}

static void check_part(const int *part, int r, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(part[i], value(r, i));
}

static void equal_parts(int count)
{
    int *mine = numbers(count), *all = numbers(count * size);

    for (int i = 0; i < count; i++)
        mine[i] = value(rank, i);
    CHECK_EQ(MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        check_part(all + r * count, r, count);
    CHECK_EQ(all[size * count], -1);
    memset(all, 0xff, (size_t)(count * size) * sizeof *all);
    memcpy(all + rank * count, mine, (size_t)count * sizeof *all);
    CHECK_EQ(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, MPI_COMM_WORLD),
             MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        check_part(all + r * count, r, count);
    free(mine);
    free(all);
}

/* Rank r has (r % 3) * unit items, in reverse rank order. */
static void unequal_parts(int unit)
{
    int *counts = numbers(size), *displs = numbers(size), total = 0, *all, *mine;

    for (int r = size - 1; r >= 0; r--) {
        counts[r] = r % 3 * unit;
        displs[r] = total + 1;
        total += counts[r] + 1;
    }
    all = numbers(total);
    mine = numbers(counts[rank]);
    for (int i = 0; i < counts[rank]; i++)
        mine[i] = value(rank, i);
    MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        check_part(all + displs[r], r, counts[r]);
        CHECK_EQ(all[displs[r] - 1], -1);
    }
    memset(all, 0xff, (size_t)total * sizeof *all);
    memcpy(all + displs[rank], mine, (size_t)counts[rank] * sizeof *all);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check_part(all + displs[r], r, counts[r]);
    free(counts);
    free(displs);
    free(mine);
    free(all);
}

/* A rank sends 6 ints and receives 3 pairs from each. */
static void other_type_on_each_side(void)
{
    int mine[6], *all = numbers(6 * size);
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 6; i++)
        mine[i] = value(rank, i);
    MPI_Allgather(mine, 6, MPI_INT, all, 3, pair, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check_part(all + 6 * r, r, 6);
    MPI_Type_free(&pair);
    free(all);
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 3, 100, 9000, 50000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        equal_parts(counts[c]);
        unequal_parts(counts[c]);
    }
    other_type_on_each_side();
    MPI_Finalize();
    return 0;
}
