/* ranks: 1 2 4 */
/* R48: mpi_memory_alloc_kinds of a new communicator is MPI_COMM_WORLD's, however the parent's was
 * narrowed. */
#include "hints.h"

static void expect_kinds(MPI_Comm comm, const char *kinds)
{
    CHECK_HINT(comm, KINDS, kinds);
    CHECK_NO_HINT(comm, ASSERTED_KINDS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Comm parent, made;
    MPI_Group group;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    parent = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, "system");
    expect_kinds(dup_of(parent), kinds);
    CHECK_EQ(MPI_Comm_split(parent, rank_in(parent) % 2, 0, &made), MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made), MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Comm_group(parent, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create(parent, group, &made), MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Comm_create_group(parent, group, 0, &made), MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    expect_kinds(dup_with_hint(parent, NO_ANY_TAG, "true"), kinds);
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
