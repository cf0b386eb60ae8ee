/* ranks: 1 2 */
/* R8: get_info never gives MPI_INFO_NULL, whatever was offered before. */
#include "hints.h"

static void expect_info(MPI_Comm comm)
{
    MPI_Info info = MPI_INFO_NULL;
    int count = -1;

    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK(info != MPI_INFO_NULL);
    CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
    CHECK(count > 0);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const char *const keys[] = {"somebody_elses_key", NO_ANY_TAG, ASSERTED_KINDS};
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    expect_info(MPI_COMM_WORLD);
    expect_info(MPI_COMM_SELF);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        a = dup_with_hint(MPI_COMM_WORLD, keys[i], "not legal");
        expect_info(a);
        CHECK_EQ(MPI_Comm_set_info(a, MPI_INFO_NULL), MPI_SUCCESS);
        expect_info(a);
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
