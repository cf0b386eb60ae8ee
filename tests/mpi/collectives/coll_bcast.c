/* ranks: 1 2 3 4 5 8 9  also: INKLING_BCAST=scatter  also: INKLING_BCAST=pipeline */
/* MPI_Bcast: every root, sizes on both sides of each algorithm's limits, types that only match by bytes. */
#include "check.h"

static void bcast_from(int root, int rank, int count)
{
    int *data = malloc((size_t)(count + 1) * sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = rank == root ? i * 7 + root : -1;
    data[count] = 12345;
    CHECK_EQ(MPI_Bcast(data, count, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(data[i], i * 7 + root);
    CHECK_EQ(data[count], 12345);
    free(data);
}

/* `items` in the way of this rank: one by one, three at a time, or each of three with a gap before it. */
static MPI_Datatype type_of(int way)
{
    MPI_Datatype spread, type;

    if (way == 0)
        MPI_Type_dup(MPI_DOUBLE, &type);
    else if (way == 1)
        MPI_Type_contiguous(3, MPI_DOUBLE, &type);
    else {
        MPI_Type_indexed(3, (int[]){1, 1, 1}, (int[]){1, 3, 5}, MPI_DOUBLE, &spread);
        MPI_Type_create_resized(spread, 0, 6 * sizeof(double), &type);
        MPI_Type_free(&spread);
    }
    MPI_Type_commit(&type);
    return type;
}

static void same_signature_other_count(int rank, int root, int items)
{
    int way = rank % 3;
    MPI_Datatype type = type_of(way);
    double *data = malloc((size_t)items * 2 * sizeof *data);

    for (int i = 0; i < 2 * items; i++)
        data[i] = -1;
    for (int i = 0; rank == root && i < items; i++)
        data[way == 2 ? 2 * i + 1 : i] = i + 0.5;
    CHECK_EQ(MPI_Bcast(data, way ? items / 3 : items, type, root, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < items; i++) {
        CHECK(data[way == 2 ? 2 * i + 1 : i] == i + 0.5);
        CHECK(way != 2 || data[2 * i] == -1);
    }
    free(data);
    MPI_Type_free(&type);
    CHECK_EQ(type, MPI_DATATYPE_NULL);
}

static void pairs_keep_both_members(int rank)
{
    struct {
        short value;
        int index;
    } pair[3] = {{0, 0}, {0, 0}, {0, 0}};

    for (int i = 0; rank == 0 && i < 3; i++) {
        pair[i].value = (short)(i - 1);
        pair[i].index = 100 * i;
    }
    MPI_Bcast(pair, 3, MPI_SHORT_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(pair[i].value, i - 1);
        CHECK_EQ(pair[i].index, 100 * i);
    }
}

int main(int argc, char **argv)
{
    const int counts[] = {0, 1, 2, 17, 1000, 20000, 140000};
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int root = 0; root < size; root++)
            bcast_from(root, rank, counts[c]);
    CHECK_EQ(MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int root = 0; root < size; root += 2) {
        same_signature_other_count(rank, root, 3);
        same_signature_other_count(rank, root, 60000);
    }
    pairs_keep_both_members(rank);
    MPI_Finalize();
    return 0;
}
