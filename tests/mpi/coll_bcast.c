/* ranks: 1 2 3 4 5 8 9 */
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

static void same_signature_other_count(int rank)
{
    MPI_Datatype three;
    double data[12];

    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    for (int i = 0; i < 12; i++)
        data[i] = rank == 0 ? i + 0.5 : 0;
    if (rank == 0)
        MPI_Bcast(data, 12, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(data, 4, three, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 12; i++)
        CHECK(data[i] == i + 0.5);
    MPI_Type_free(&three);
    CHECK_EQ(three, MPI_DATATYPE_NULL);
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
    same_signature_other_count(rank);
    pairs_keep_both_members(rank);
    MPI_Finalize();
    return 0;
}
