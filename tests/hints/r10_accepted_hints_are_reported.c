/* ranks: 1 2 */
/* R10: get_info has every hint that was not ignored, with the value in force, whichever call gave it. */
#include "hints.h"

static MPI_Info everything(void)
{
    MPI_Info info = info_with(ASSERTED_KINDS, "system,mpi:alloc_mem");

    for (int i = 0; i < ASSERTIONS; i++)
        CHECK_EQ(MPI_Info_set(info, assertions[i], "true"), MPI_SUCCESS);
    return info;
}

static void expect_everything(MPI_Comm comm)
{
    for (int i = 0; i < ASSERTIONS; i++)
        CHECK_HINT(comm, assertions[i], "true");
    CHECK_HINT(comm, ASSERTED_KINDS, "system,mpi:alloc_mem");
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm a;
    MPI_Info all;
    MPI_Request request;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    all = everything();
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, all, &a), MPI_SUCCESS);
    expect_everything(a);
    CHECK_EQ(MPI_Comm_idup_with_info(MPI_COMM_WORLD, all, &a, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_everything(a);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, all, &a), MPI_SUCCESS);
    expect_everything(a);
    a = dup_of(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Comm_set_info(a, all), MPI_SUCCESS);
    expect_everything(a);
    CHECK_EQ(MPI_Info_free(&all), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
