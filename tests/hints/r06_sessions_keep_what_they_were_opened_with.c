/* ranks: 1 2 */
/* R6: a session's hints are those given to MPI_Session_init. Nothing changes them later: not the info it was
 * opened with, not what MPI_Session_get_info returned, not another session, not the World Model. */
#include "hints.h"

static const char *session_hint(MPI_Session session, const char *key)
{
    MPI_Info info = MPI_INFO_NULL;
    const char *value;

    CHECK_EQ(MPI_Session_get_info(session, &info), MPI_SUCCESS);
    value = value_of(info, key);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return value;
}

static void spoil(MPI_Info info)
{
    CHECK_EQ(MPI_Info_set(info, KINDS, "nonsense"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Session session, other;
    MPI_Info given = info_with(KINDS, "mpi:alloc_mem"), told;

    CHECK_EQ(MPI_Info_set(given, "thread_level", "MPI_THREAD_SERIALIZED"), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_init(given, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    spoil(given);
    snprintf(kinds, sizeof kinds, "%s", session_hint(session, KINDS));
    CHECK(has_kind(kinds, "mpi:alloc_mem"));

    CHECK_EQ(MPI_Session_get_info(session, &told), MPI_SUCCESS);
    spoil(told);
    given = info_with(KINDS, "system");
    CHECK_EQ(MPI_Session_init(given, MPI_ERRORS_RETURN, &other), MPI_SUCCESS);
    spoil(given);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_STR(session_hint(session, KINDS), kinds);
    CHECK_STR(session_hint(session, "thread_level"), "MPI_THREAD_SERIALIZED");
    CHECK(!has_kind(session_hint(other, KINDS), "mpi:alloc_mem"));
    CHECK_EQ(MPI_Session_finalize(&other), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    CHECK_STR(session_hint(session, KINDS), kinds);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    return 0;
}
