/* ranks: 1 2 */
/* R23: a less or equally restrictive value may be in force, and here it is: false after true, a longer list
 * of kinds after a shorter one, the same value again. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, "system");
    CHECK_HINT(a, KINDS, "system");
    set_hint(a, ASSERTED_KINDS, "system");
    CHECK_HINT(a, ASSERTED_KINDS, "system");
    set_hint(a, ASSERTED_KINDS, "system,mpi");
    CHECK_HINT(a, ASSERTED_KINDS, "system,mpi");
    CHECK_HINT(a, KINDS, "system,mpi");
    for (int i = 0; i < ASSERTIONS; i++)
        set_hint(a, assertions[i], "true");
    for (int i = 0; i < ASSERTIONS; i++) {
        set_hint(a, assertions[i], "true");
        CHECK_HINT(a, assertions[i], "true");
        set_hint(a, assertions[i], "false");
        CHECK_HINT(a, assertions[i], "false");
    }
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
