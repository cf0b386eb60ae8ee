/* ranks: 1 2 4 */
/* R13: every communicator reports mpi_memory_alloc_kinds, with at least mpi and system; MPI_COMM_WORLD
 * and _SELF the same. */
#include "hints.h"

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    CHECK(has_kind(kinds, "mpi"));
    CHECK(has_kind(kinds, "system"));
    CHECK(!has_kind(kinds, "cuda"));
    CHECK_HINT(MPI_COMM_SELF, KINDS, kinds);
    a = dup_of(MPI_COMM_WORLD);
    CHECK_HINT(a, KINDS, kinds);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
