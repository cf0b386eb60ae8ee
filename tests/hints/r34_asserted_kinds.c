/* ranks: 1 2 */
/* R34: a list of memory kinds that are all supported is reported byte for byte, and may narrow
 * mpi_memory_alloc_kinds of that communicator; one unsupported or malformed kind and the whole key is
 * ignored. */
#include "hints.h"

static const char *const good[] = {"system",
                                   "mpi",
                                   "mpi,system",
                                   "",
                                   " system , mpi:alloc_mem ",
                                   "mpi:win_allocate:alloc_mem",
                                   "mpi:alloc_mem,system,mpi:alloc_mem",
                                   "mpi,mpi:win_allocate_shared"};
static const char *const bad[] = {
    "system,foo", "cuda:device", "MPI",  "mpi:foo",        "system:host", "mpi: alloc_mem", "system,",
    ",",          ":",           "mpi:", "mpi::alloc_mem", "sys",         "systemx",        "mpi:alloc"};

int main(int argc, char **argv)
{
    MPI_Comm a, b;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        a = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, good[i]);
        CHECK_HINT(a, ASSERTED_KINDS, good[i]);
        CHECK(hint_of(a, KINDS) != NULL);
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, bad[i]);
        CHECK_NO_HINT(a, ASSERTED_KINDS);
        CHECK(has_kind(hint_of(a, KINDS), "mpi"));
        CHECK(has_kind(hint_of(a, KINDS), "system"));
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    a = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, rank_in(MPI_COMM_WORLD) ? "mpi" : "system");
    CHECK_HINT(a, ASSERTED_KINDS, rank_in(a) ? "mpi" : "system"); /* each rank its own */
    CHECK(has_kind(hint_of(a, KINDS), rank_in(a) ? "mpi" : "system"));
    b = dup_of(a);
    check_defaults(b);
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
