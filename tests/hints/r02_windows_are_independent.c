/* ranks: 1 2 4 */
/* R2, R3: a window's hints are its own: not its communicator's, not another window's. */
#include "win_hints.h"

int main(int argc, char **argv)
{
    MPI_Win a, b;
    MPI_Comm parent;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    parent = dup_of(MPI_COMM_WORLD);
    set_hint(parent, ASSERTED_KINDS, "system");
    a = win_on(parent, BY_ALLOCATE, MPI_INFO_NULL);
    b = win_on(parent, BY_CREATE, MPI_INFO_NULL);
    check_win_defaults(a); /* nothing comes from the parent */

    set_win_hint(a, OPS, "same_op");
    set_win_hint(a, ASSERTED_KINDS, "mpi");
    CHECK_WIN_HINT(a, OPS, "same_op");
    CHECK_WIN_HINT(a, KINDS, "mpi");
    check_win_defaults(b);
    CHECK_HINT(parent, ASSERTED_KINDS, "system");
    CHECK_HINT(parent, KINDS, "system");
    CHECK_NO_HINT(parent, OPS);

    set_hint(parent, ASSERTED_KINDS, "mpi,system");
    CHECK_WIN_HINT(a, KINDS, "mpi");
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    check_win_defaults(b);
    win_done(a);
    win_done(b);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
