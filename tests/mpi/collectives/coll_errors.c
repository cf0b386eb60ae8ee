/* ranks: 1 2 3 4 8 env: INKLING_BCAST=tree env: INKLING_REDUCE=tree */
/* Collectives called wrongly return the standard's error class, hang nobody, and later calls work. */
#include "check.h"

static int rank, size;

static int parent_of(int r)
{
    return r & (r - 1);
}

/* The root's length is not that of the others. The root's children in the tree see it; they tell theirs, with
 * an empty message. */
static void wrong_broadcast(int count, int others)
{
    int data[64] = {0};
    int class = class_of(MPI_Bcast(data, rank ? others : count, MPI_INT, 0, MPI_COMM_WORLD));

    if (rank == 0)
        CHECK_EQ(class, MPI_SUCCESS);
    else
        CHECK_EQ(class, parent_of(rank) ? MPI_ERR_OTHER : MPI_ERR_TRUNCATE);
}

/* The last rank's length is not that of the others. Its parent in the tree sees it, and tells its own, with
 * an empty message instead of a sum: the root must not take what is wrong for a result. */
static void wrong_reduction(int count, int last)
{
    int data[64] = {0}, sum[64], class, expected = MPI_SUCCESS;

    class =
        class_of(MPI_Reduce(data, sum, rank == size - 1 ? last : count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    for (int r = size - 1; r > 0; r = parent_of(r))
        if (parent_of(r) == rank)
            expected = r == size - 1 ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
    CHECK_EQ(class, expected);
}

/* A rank sends more than the other expects: nobody may crash. */
static void short_buffers(void)
{
    int data[64] = {0}, all[64], class;

    class = class_of(MPI_Gather(data, rank ? 2 : 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_EQ(class, rank == 0 && size > 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    class = class_of(MPI_Scatter(data, 2, MPI_INT, all, rank ? 1 : 2, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_EQ(class, rank ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    class = class_of(MPI_Alltoall(data, 2, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    CHECK_EQ(class, MPI_ERR_TRUNCATE);
}

static void bad_arguments(void)
{
    int a[16] = {0}, b[16];

    CHECK_EQ(class_of(MPI_Bcast(a, -1, MPI_INT, 0, MPI_COMM_WORLD)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Bcast(a, 1, MPI_INT, size, MPI_COMM_WORLD)), MPI_ERR_ROOT);
    CHECK_EQ(class_of(MPI_Bcast(a, 1, MPI_INT, -3, MPI_COMM_WORLD)), MPI_ERR_ROOT);
    CHECK_EQ(class_of(MPI_Barrier(MPI_COMM_NULL)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD)), MPI_ERR_OP);
    CHECK_EQ(class_of(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)), MPI_ERR_BUFFER);
}

int main(int argc, char **argv)
{
    int one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    wrong_broadcast(20, 10);
    wrong_broadcast(10, 20);
    wrong_reduction(1, 2);
    wrong_reduction(2, 1);
    short_buffers();
    bad_arguments();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(sum, size);
    MPI_Finalize();
    return 0;
}
