/* ranks: 1 2 3 4 8 */
/* MPI_Comm_split. */
#include "check.h"

static int rank, size;

static void by_parity_in_order(void)
{
    MPI_Comm half;
    int n, r, sum, expected = 0;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(half, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(half, &r), MPI_SUCCESS);
    CHECK_EQ(n, (size + 1 - rank % 2) / 2);
    CHECK_EQ(r, rank / 2);
    for (int i = rank % 2; i < size; i += 2)
        expected += i;
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half), MPI_SUCCESS);
    CHECK_EQ(sum, expected);
    MPI_Comm_free(&half);
}

static void keys_order_and_ties_keep_rank_order(void)
{
    MPI_Comm comm;
    int r, result;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 5, -rank, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(comm, &r), MPI_SUCCESS);
    CHECK_EQ(r, size - 1 - rank);
    CHECK_EQ(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result), MPI_SUCCESS);
    CHECK_EQ(result, size == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 2147483647, rank == 0 ? 2147483647 : -2147483647, &comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(comm, &r), MPI_SUCCESS);
    CHECK_EQ(r, rank == 0 ? size - 1 : rank - 1);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

static void undefined_gets_null(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
    int n;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm), MPI_SUCCESS);
    if (rank == 0) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS);
        CHECK_EQ(n, size - 1);
        MPI_Comm_free(&comm);
    }
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &comm), MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* the ranks are still in step */
}

static void splits_of_splits(void)
{
    MPI_Comm comm = MPI_COMM_WORLD, part;
    int n = size, r = rank;

    while (n > 1) {
        CHECK_EQ(MPI_Comm_split(comm, r < n / 2, r, &part), MPI_SUCCESS);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = part;
        MPI_Comm_size(comm, &n);
        MPI_Comm_rank(comm, &r);
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
}

static void attributes_are_not_copied(void)
{
    MPI_Comm comm;
    void *value;
    int keyval, flag = 1;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &rank);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
    CHECK(!flag);
    MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    MPI_Comm_free_keyval(&keyval);
}

/* One rank's bad color is an error on every rank, not a hang. */
static void negative_color_is_an_error_everywhere(void)
{
    MPI_Comm comm = MPI_COMM_SELF;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? -7 : 0, 0, &comm), MPI_ERR_ARG);
    CHECK(comm == MPI_COMM_SELF);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    by_parity_in_order();
    keys_order_and_ties_keep_rank_order();
    undefined_gets_null();
    splits_of_splits();
    attributes_are_not_copied();
    negative_color_is_an_error_everywhere();
    MPI_Finalize();
    return 0;
}
