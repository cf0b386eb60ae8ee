/* ranks: 1 2 4 */
/* R28: hints may be set on MPI_COMM_WORLD and _SELF, but their mpi_memory_alloc_kinds cannot change,
 * whatever is asserted. */
#include "hints.h"

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    set_hint(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    CHECK_HINT(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    CHECK_HINT(MPI_COMM_SELF, NO_ANY_TAG, "false");
    set_hint(MPI_COMM_WORLD, KINDS, "system");
    CHECK_HINT(MPI_COMM_WORLD, KINDS, kinds);
    set_hint(MPI_COMM_WORLD, ASSERTED_KINDS, "system");
    CHECK_HINT(MPI_COMM_WORLD, ASSERTED_KINDS, "system");
    CHECK_HINT(MPI_COMM_WORLD, KINDS, kinds);
    set_hint(MPI_COMM_SELF, ASSERTED_KINDS, "mpi");
    CHECK_HINT(MPI_COMM_SELF, KINDS, kinds);
    a = dup_of(MPI_COMM_WORLD);
    check_defaults(a);
    CHECK_HINT(a, KINDS, kinds);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
