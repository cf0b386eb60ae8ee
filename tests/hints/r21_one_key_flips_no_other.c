/* ranks: 1 2 */
/* R21: set_info does not change keys that it was not given, also not as a side effect; only an accepted
 * mpi_assert_memory_alloc_kinds narrows mpi_memory_alloc_kinds. */
#include "hints.h"

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    a = dup_of(MPI_COMM_WORLD);
    for (int i = 0; i < ASSERTIONS; i++) {
        set_hint(a, assertions[i], "true");
        for (int j = 0; j < ASSERTIONS; j++)
            CHECK_HINT(a, assertions[j], j == i ? "true" : "false");
        CHECK_NO_HINT(a, ASSERTED_KINDS);
        CHECK_HINT(a, KINDS, kinds);
        set_hint(a, assertions[i], "false");
        check_defaults(a);
    }
    set_hint(a, ASSERTED_KINDS, "mpi");
    for (int j = 0; j < ASSERTIONS; j++)
        CHECK_HINT(a, assertions[j], "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
