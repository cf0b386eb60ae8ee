/* ranks: 1 2 4 */
/* R25: MPI_INFO_NULL, and an info without keys, change nothing and succeed, on some ranks or on all. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;
    MPI_Info empty;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Info_create(&empty), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(a, MPI_INFO_NULL), MPI_SUCCESS);
    check_defaults(a);
    for (int i = 0; i < ASSERTIONS; i++)
        set_hint(a, assertions[i], "true");
    set_hint(a, ASSERTED_KINDS, "system");
    CHECK_EQ(MPI_Comm_set_info(a, MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(a, empty), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(a, rank_in(a) % 2 ? empty : MPI_INFO_NULL), MPI_SUCCESS);
    for (int i = 0; i < ASSERTIONS; i++)
        CHECK_HINT(a, assertions[i], "true");
    CHECK_HINT(a, ASSERTED_KINDS, "system");
    CHECK_EQ(MPI_Info_free(&empty), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
