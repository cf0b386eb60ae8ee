/* ranks: 1 2 4 */
/* R3: no constructor copies hints from its parent (MPI-3 did). */
#include "hints.h"

static void expect_defaults(MPI_Comm comm)
{
    CHECK(comm != MPI_COMM_NULL);
    check_defaults(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, made;
    MPI_Request request;
    MPI_Group group;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    parent = dup_of(MPI_COMM_WORLD);
    for (int i = 0; i < ASSERTIONS; i++)
        set_hint(parent, assertions[i], "true");
    set_hint(parent, ASSERTED_KINDS, "system");

    expect_defaults(dup_of(parent));
    CHECK_EQ(MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &made), MPI_SUCCESS);
    expect_defaults(made);
    CHECK_EQ(MPI_Comm_idup(parent, &made, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_defaults(made);
    CHECK_EQ(MPI_Comm_split(parent, 0, 0, &made), MPI_SUCCESS);
    expect_defaults(made);
    CHECK_EQ(MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made), MPI_SUCCESS);
    expect_defaults(made);
    CHECK_EQ(MPI_Comm_group(parent, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create(parent, group, &made), MPI_SUCCESS);
    expect_defaults(made);
    CHECK_EQ(MPI_Comm_create_group(parent, group, 7, &made), MPI_SUCCESS);
    expect_defaults(made);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);

    CHECK_HINT(parent, STRICT, "true"); /* and the parent keeps its own */
    CHECK_HINT(parent, ASSERTED_KINDS, "system");
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
