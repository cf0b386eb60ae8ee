/* ranks: 1 2 */
/* R11: get_info also has what the library itself set and the program cannot: mpi_memory_alloc_kinds, which
 * follows an accepted mpi_assert_memory_alloc_kinds. */
#include "hints.h"

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    CHECK(*kinds);
    a = dup_with_hint(MPI_COMM_WORLD, KINDS, "system"); /* nobody but the library sets it */
    CHECK_HINT(a, KINDS, kinds);
    set_hint(a, KINDS, "");
    CHECK_HINT(a, KINDS, kinds);
    set_hint(a, ASSERTED_KINDS, "system");
    CHECK_HINT(a, KINDS, "system");
    set_hint(a, NO_ANY_TAG, "true");
    CHECK_HINT(a, KINDS, "system");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
