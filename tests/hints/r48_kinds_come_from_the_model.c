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

static void from_topologies(MPI_Comm parent, const char *kinds)
{
    int size = size_of(parent), rank = rank_in(parent);
    int one[1] = {size}, next = (rank + 1) % size, before = (rank + size - 1) % size, degree = 1;
    MPI_Comm grid, made;

    CHECK_EQ(MPI_Cart_create(parent, 1, one, (int[]){1}, 0, &grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_sub(grid, (int[]){1}, &made), MPI_SUCCESS);
    expect_kinds(made, kinds);
    expect_kinds(grid, kinds);
    CHECK_EQ(MPI_Graph_create(parent, 1, (int[]){0}, NULL, 0, &made), MPI_SUCCESS);
    CHECK_EQ(made != MPI_COMM_NULL, rank == 0);
    if (made != MPI_COMM_NULL)
        expect_kinds(made, kinds);
    CHECK_EQ(MPI_Dist_graph_create(parent, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
             MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Dist_graph_create_adjacent(parent, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &made),
             MPI_SUCCESS);
    expect_kinds(made, kinds);
}

/* Two halves, each narrowed; the intercommunicator between them, and what is made of it. */
static void from_two_groups(MPI_Comm parent, const char *kinds)
{
    int rank = rank_in(parent);
    MPI_Comm half, narrow, inter, made;

    if (size_of(parent) < 2)
        return;
    CHECK_EQ(MPI_Comm_split(parent, rank % 2, rank, &half), MPI_SUCCESS);
    narrow = dup_with_hint(half, ASSERTED_KINDS, "system");
    CHECK_EQ(MPI_Intercomm_create(narrow, 0, parent, 1 - rank % 2, 0, &inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_merge(inter, 0, &made), MPI_SUCCESS);
    expect_kinds(made, kinds);
    made = dup_with_hint(inter, ASSERTED_KINDS, "system");
    expect_kinds(dup_of(made), kinds);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    expect_kinds(inter, kinds);
    CHECK_EQ(MPI_Comm_free(&narrow), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
}

static void from_nonblocking(MPI_Comm parent, const char *kinds)
{
    MPI_Request request;
    MPI_Comm made;
    MPI_Info info = info_with(NO_ANY_TAG, "true");

    CHECK_EQ(MPI_Comm_idup(parent, &made, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Comm_idup_with_info(parent, info, &made, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_kinds(made, kinds);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
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
    from_nonblocking(parent, kinds);
    from_topologies(parent, kinds);
    from_two_groups(parent, kinds);
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
