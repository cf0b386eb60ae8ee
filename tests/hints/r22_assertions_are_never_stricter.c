/* ranks: 1 2 */
/* R22: an assertion is never in force that was not made: never true when the program said false or nothing
 * legal, and a kind list is never shorter than the one given. */
#include "hints.h"

static const char *const not_true[] = {"false", " false ", "1", "yes", "TRUE", "true.", "t", ""};
static const char *const lists[] = {"system", "system,mpi", "mpi:alloc_mem,system", "mpi,system"};

int main(int argc, char **argv)
{
    MPI_Comm a;
    const char *now;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_of(MPI_COMM_WORLD);
    for (int i = 0; i < ASSERTIONS; i++)
        for (size_t j = 0; j < sizeof not_true / sizeof *not_true; j++) {
            set_hint(a, assertions[i], not_true[j]);
            CHECK_HINT(a, assertions[i], "false");
        }
    for (size_t j = 0; j < sizeof lists / sizeof *lists; j++) {
        set_hint(a, ASSERTED_KINDS, lists[j]);
        CHECK_HINT(a, ASSERTED_KINDS, lists[j]);
        now = hint_of(a, KINDS);
        CHECK_STR(now, lists[j]);
    }
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
