/* ranks: 1 2 3 4 8 */
/* MPI_Comm_dup, MPI_Comm_dup_with_info and what a dup has of its parent. */
#include "check.h"

static int rank, size;

static int get_flag(MPI_Comm comm, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int length = sizeof value, flag;
    MPI_Info info;

    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, key, &length, value, &flag), MPI_SUCCESS);
    MPI_Info_free(&info);
    return flag && strcmp(value, "true") == 0;
}

static void dup_is_congruent_and_separate(void)
{
    int n, r, result, mine = rank, theirs = -1;
    MPI_Comm dup;
    MPI_Request request;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_CONGRUENT);
    CHECK_EQ(MPI_Comm_compare(dup, dup, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_IDENT);
    CHECK_EQ(MPI_Comm_size(dup, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(dup, &r), MPI_SUCCESS);
    CHECK_EQ(n, size);
    CHECK_EQ(r, rank);
    /* the same rank and tag on both: the context alone tells them apart */
    MPI_Irecv(&theirs, 1, MPI_INT, (rank + size - 1) % size, 0, dup, &request);
    mine = 1000 + rank;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &n, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(n, 1000 + (rank + size - 1) % size);
    mine = 2000 + rank;
    MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 0, dup);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(theirs, 2000 + (rank + size - 1) % size);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK(dup == MPI_COMM_NULL);
}

static void many_dups_at_once(void)
{
    enum {
        MANY = 50
    };
    MPI_Comm dup[MANY];
    int sum;

    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Comm_dup(i ? dup[i - 1] : MPI_COMM_WORLD, &dup[i]), MPI_SUCCESS);
    for (int i = MANY - 1; i >= 0; i--) {
        CHECK_EQ(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, dup[i]), MPI_SUCCESS);
        CHECK_EQ(sum, i * size);
        CHECK_EQ(MPI_Comm_free(&dup[i]), MPI_SUCCESS);
    }
}

static void dup_of_self(void)
{
    MPI_Comm dup;
    int n;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(dup, &n), MPI_SUCCESS);
    CHECK_EQ(n, 1);
    CHECK_EQ(MPI_Barrier(dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
}

static void error_handler_is_inherited_and_name_is_not(void)
{
    MPI_Comm parent, dup;
    MPI_Errhandler handler;
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_name(parent, "parent");
    CHECK_EQ(MPI_Comm_dup(parent, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_errhandler(dup, &handler), MPI_SUCCESS);
    CHECK(handler == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    CHECK_EQ(MPI_Comm_get_name(dup, name, &length), MPI_SUCCESS);
    CHECK_STR(name, "");
    CHECK_EQ(length, 0);
    MPI_Comm_free(&parent);
    MPI_Comm_free(&dup);
}

static void hints_come_from_the_info_alone(void)
{
    MPI_Comm parent, dup;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &parent), MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(get_flag(parent, "mpi_assert_no_any_tag"));
    CHECK_EQ(MPI_Comm_dup(parent, &dup), MPI_SUCCESS);
    CHECK(!get_flag(dup, "mpi_assert_no_any_tag"));
    MPI_Comm_free(&dup);
    CHECK_EQ(MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &dup), MPI_SUCCESS);
    CHECK(!get_flag(dup, "mpi_assert_no_any_tag"));
    MPI_Comm_free(&dup);
    MPI_Comm_free(&parent);
}

/* A hint that must be the same everywhere is in force only where all ranks gave it. */
static void ranks_that_disagree_fall_back_together(void)
{
    static const char key[] = "mpi_assert_strict_persistent_collective_ordering";
    MPI_Comm dup;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, "true");
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup), MPI_SUCCESS);
    CHECK(get_flag(dup, key));
    MPI_Comm_free(&dup);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, rank == 0 ? info : MPI_INFO_NULL, &dup), MPI_SUCCESS);
    CHECK_EQ(get_flag(dup, key), size == 1);
    CHECK_EQ(MPI_Barrier(dup), MPI_SUCCESS);
    MPI_Comm_free(&dup);
    MPI_Info_free(&info);
}

static void null_communicator_is_refused(void)
{
    MPI_Comm dup = MPI_COMM_SELF, freed;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_NULL, &dup), MPI_ERR_COMM);
    CHECK(dup == MPI_COMM_SELF);
    MPI_Comm_dup(MPI_COMM_SELF, &freed);
    dup = freed;
    MPI_Comm_free(&freed);
    CHECK_EQ(MPI_Comm_dup(dup, &freed), MPI_ERR_COMM);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    dup_is_congruent_and_separate();
    many_dups_at_once();
    dup_of_self();
    error_handler_is_inherited_and_name_is_not();
    hints_come_from_the_info_alone();
    ranks_that_disagree_fall_back_together();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    null_communicator_is_refused();
    MPI_Finalize();
    return 0;
}
