/* ranks: 1 2 */
/* R39: a probe with a wildcard despite the assertion against it is refused like a receive. */
#include "note.h"

static void probe(MPI_Comm comm, int source, int tag, int error, const char *hint, const char *call)
{
    MPI_Status status;
    int flag = -1;

    CHECK_EQ(MPI_Iprobe(source, tag, comm, &flag, &status), error);
    expect_note(error, hint, call);
    CHECK_EQ(flag, -1);
    CHECK_EQ(MPI_Probe(source, tag, comm, &status), error);
    expect_note(error, hint, call);
    CHECK_EQ(MPI_Iprobe(rank_in(comm), 0, comm, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
}

int main(int argc, char **argv)
{
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_with_hint(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    CHECK_EQ(MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN), MPI_SUCCESS);
    probe(a, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_TAG, NO_ANY_TAG, "set by MPI_Comm_dup_with_info");
    set_hint(a, NO_ANY_SOURCE, "true");
    probe(a, MPI_ANY_SOURCE, 0, MPI_ERR_RANK, NO_ANY_SOURCE, "set by MPI_Comm_set_info");
    probe(a, 0, MPI_ANY_TAG, MPI_ERR_TAG, NO_ANY_TAG, "set by MPI_Comm_dup_with_info");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
