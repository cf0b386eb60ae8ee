/* ranks: 1 2 */
/* R13, R48: every window reports mpi_memory_alloc_kinds, those of the World Model or of the session that its
 * communicator comes from, whatever that communicator asserts. */
#include "win_hints.h"

static void expect_kinds(MPI_Comm comm, const char *kinds)
{
    set_hint(comm, ASSERTED_KINDS, "system");
    for (int maker = 0; maker < WIN_MAKERS; maker++) {
        MPI_Win win = win_on(comm, maker, MPI_INFO_NULL);

        CHECK_WIN_HINT(win, KINDS, kinds);
        win_done(win);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Info info = info_with(KINDS, "mpi:alloc_mem");
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_from_group(group, "r48", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    snprintf(kinds, sizeof kinds, "%s", hint_of(comm, KINDS));
    CHECK(has_kind(kinds, "mpi:alloc_mem"));
    expect_kinds(comm, kinds);
    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    CHECK(!has_kind(kinds, "mpi:alloc_mem"));
    expect_kinds(dup_of(MPI_COMM_WORLD), kinds);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
