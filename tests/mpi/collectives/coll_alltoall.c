/* ranks: 1 2 3 4 5 8 9  also: INKLING_CMA=false */
/* MPI_Alltoall, Alltoallv and Alltoallw, out of place and in place. */
#include "check.h"

static int rank, size;

/* Item i of what rank `from` sends to rank `to`. */
static int value(int from, int to, int i)
{
    return (from * 16 + to) * 100000 + i;
}

static int *numbers(int count)
{
    int *a = malloc((size_t)(count + 1) * sizeof *a);

    memset(a, 0xff, (size_t)(count + 1) * sizeof *a);
    return a;
}

static void fill(int *part, int to, int count)
{
    for (int i = 0; i < count; i++)
        part[i] = value(rank, to, i);
}

static void check_part(const int *part, int from, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(part[i], value(from, rank, i));
}

static void equal_parts(int count)
{
    int *out = numbers(count * size), *in = numbers(count * size);

    for (int r = 0; r < size; r++)
        fill(out + r * count, r, count);
    CHECK_EQ(MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        check_part(in + r * count, r, count);
    CHECK_EQ(in[size * count], -1);
    CHECK_EQ(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_INT, MPI_COMM_WORLD),
             MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        check_part(out + r * count, r, count);
    free(out);
    free(in);
}

/* How many items a and b exchange: the same in both directions, so that it works in place too. */
static int length(int a, int b, int unit)
{
    return (a + b) % 4 * unit;
}

struct layout {
    int *counts, *displs, total;
};

static struct layout make_layout(int unit)
{
    struct layout l = {numbers(size), numbers(size), 0};

    for (int r = size - 1; r >= 0; r--) {
        l.counts[r] = length(rank, r, unit);
        l.displs[r] = l.total;
        l.total += l.counts[r] + 1;
    }
    return l;
}

static void unequal_parts(int unit)
{
    struct layout l = make_layout(unit);
    int *out = numbers(l.total), *in = numbers(l.total);

    for (int r = 0; r < size; r++)
        fill(out + l.displs[r], r, l.counts[r]);
    MPI_Alltoallv(out, l.counts, l.displs, MPI_INT, in, l.counts, l.displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, l.counts, l.displs, MPI_INT,
                  MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        check_part(in + l.displs[r], r, l.counts[r]);
        check_part(out + l.displs[r], r, l.counts[r]);
        CHECK_EQ(in[l.displs[r] + l.counts[r]], -1);
    }
    free(l.counts);
    free(l.displs);
    free(out);
    free(in);
}

/* Ints to even ranks, the same bytes as pairs of ints to odd ones. */
static void own_type_for_each(int unit)
{
    struct layout l = make_layout(2 * unit);
    MPI_Datatype pair, *types = malloc((size_t)size * sizeof *types);
    int *out = numbers(l.total), *in = numbers(l.total);

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int r = 0; r < size; r++) {
        fill(out + l.displs[r], r, l.counts[r]);
        types[r] = r % 2 ? pair : MPI_INT;
        l.counts[r] /= r % 2 ? 2 : 1;
        l.displs[r] *= (int)sizeof(int);
    }
    MPI_Alltoallw(out, l.counts, l.displs, types, in, l.counts, l.displs, types, MPI_COMM_WORLD);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, l.counts, l.displs, types, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        check_part(in + l.displs[r] / (int)sizeof(int), r, length(rank, r, 2 * unit));
        check_part(out + l.displs[r] / (int)sizeof(int), r, length(rank, r, 2 * unit));
    }
    MPI_Type_free(&pair);
    free(types);
    free(l.counts);
    free(l.displs);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 7, 1000, 30000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        equal_parts(counts[c]);
        unequal_parts(counts[c]);
        own_type_for_each(counts[c]);
    }
    MPI_Finalize();
    return 0;
}
