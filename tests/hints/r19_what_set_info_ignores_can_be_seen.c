/* ranks: 1 2 */
/* R19: the library may ignore in set_info what it would take at creation. The report shows which: a key that
 * was ignored is not reported with the value that was offered. */
#include "hints.h"

int main(int argc, char **argv)
{
    static const char *const ignored[][2] = {
        {"somebody_elses_key", "true"},
        {NO_ANY_TAG, "yes"},
        {KINDS, "system"},
        {EXACT_LENGTH, "TRUE"},
        {ASSERTED_KINDS, "granite"},
        {"mpi_hw_resource_type", "mpi_shared_memory"},
    };
    MPI_Comm a;
    const char *now;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        a = dup_of(MPI_COMM_WORLD);
        set_hint(a, ignored[i][0], ignored[i][1]);
        now = hint_of(a, ignored[i][0]);
        CHECK(!now || strcmp(now, ignored[i][1]) != 0);
        check_defaults(a);
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    a = dup_of(MPI_COMM_WORLD); /* and nothing that creation takes is ignored by set_info */
    for (int i = 0; i < ASSERTIONS; i++) {
        set_hint(a, assertions[i], "true");
        CHECK_HINT(a, assertions[i], "true");
    }
    set_hint(a, ASSERTED_KINDS, "system");
    CHECK_HINT(a, ASSERTED_KINDS, "system");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
