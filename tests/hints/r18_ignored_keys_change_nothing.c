/* ranks: 1 2 */
/* R18: a key that is ignored, unknown, read-only or with a value that is not legal, leaves the old
 * value in force; the call succeeds. */
#include "hints.h"

static const char *const bad[] = {"",  "maybe", "TRUE",  "False", "1",
                                  "0", "yes",   "true,", "tru e", "true\\n!"};

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_with_hint(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int j = 0; j < ASSERTIONS; j++) {
            set_hint(a, assertions[j], bad[i]);
            CHECK_HINT(a, assertions[j], j == 0 ? "true" : "false");
        }
    set_hint(a, "mpi_assert_no_any_tagg", "false");
    CHECK_HINT(a, NO_ANY_TAG, "true");
    set_hint(a, KINDS, "system");
    CHECK(has_kind(hint_of(a, KINDS), "mpi"));
    set_hint(a, ASSERTED_KINDS, "system");
    set_hint(a, ASSERTED_KINDS, "system,nonsense");
    CHECK_HINT(a, ASSERTED_KINDS, "system");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);

    a = dup_with_hint(MPI_COMM_WORLD, NO_ANY_TAG, "maybe"); /* at creation: the default */
    check_defaults(a);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
