/* ranks: 1 2 4 */
/* R44: MPI_Session_get_pset_info always reports mpi_size, the number of processes; each call's info is new
 * and the caller's own. */
#include "hints.h"

static void expect_size(MPI_Session session, const char *pset)
{
    MPI_Info first, second;
    MPI_Group group;
    char size[16];
    int n;

    CHECK_EQ(MPI_Group_from_session_pset(session, pset, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(group, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    snprintf(size, sizeof size, "%d", n);
    CHECK_EQ(MPI_Session_get_pset_info(session, pset, &first), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_pset_info(session, pset, &second), MPI_SUCCESS);
    CHECK(first != second);
    CHECK_STR(value_of(first, "mpi_size"), size);
    CHECK_EQ(MPI_Info_set(first, "mpi_size", "77"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&first), MPI_SUCCESS);
    CHECK_STR(value_of(second, "mpi_size"), size);
    CHECK_EQ(MPI_Info_free(&second), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_pset_info(session, pset, &first), MPI_SUCCESS);
    CHECK_STR(value_of(first, "mpi_size"), size);
    CHECK_EQ(MPI_Info_free(&first), MPI_SUCCESS);
}

int main(void)
{
    MPI_Session session;
    char name[MPI_MAX_PSET_NAME_LEN];
    int sets, length;

    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets), MPI_SUCCESS);
    CHECK(sets >= 2);
    for (int i = 0; i < sets; i++) {
        length = sizeof name;
        CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name), MPI_SUCCESS);
        expect_size(session, name);
    }
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    return 0;
}
