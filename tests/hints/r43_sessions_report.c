/* ranks: 1 2 */
/* R43, R48: MPI_Session_get_info reports the thread level that is granted and the memory kinds; what is
 * derived from a session has its kinds, whatever the parent's were narrowed to. */
#include "hints.h"

static MPI_Session open_with(const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);
    MPI_Session session;

    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, key, "nonsense"), MPI_SUCCESS); /* it was read already */
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return session;
}

static const char *session_hint(MPI_Session session, const char *key)
{
    MPI_Info info = MPI_INFO_NULL;
    const char *value;

    CHECK_EQ(MPI_Session_get_info(session, &info), MPI_SUCCESS);
    CHECK(info != MPI_INFO_NULL);
    value = value_of(info, key);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return value;
}

static void levels(void)
{
    static const char *const level[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                        "MPI_THREAD_MULTIPLE"};
    MPI_Session session;

    for (int i = 0; i < 4; i++) {
        session = open_with("thread_level", level[i]);
        CHECK_STR(session_hint(session, "thread_level"), level[i]);
        CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    }
    session = open_with("thread_level", "MPI_THREAD_MANY");
    CHECK_STR(session_hint(session, "thread_level"), "MPI_THREAD_MULTIPLE"); /* ignored */
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

static MPI_Comm comm_of(MPI_Session session, MPI_Info info)
{
    MPI_Group group;
    MPI_Comm comm;

    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_from_group(group, "r43", info, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    return comm;
}

static void kinds(void)
{
    MPI_Session few = open_with(KINDS, "mpi:alloc_mem, foo,cud,m"), plain;
    char of_few[MPI_MAX_INFO_VAL + 1];
    MPI_Info assertion = info_with(ASSERTED_KINDS, "system");
    MPI_Comm comm, dup, half, self;

    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &plain), MPI_SUCCESS);
    snprintf(of_few, sizeof of_few, "%s", session_hint(few, KINDS));
    CHECK(has_kind(of_few, "mpi:alloc_mem") && has_kind(of_few, "system") && has_kind(of_few, "mpi"));
    CHECK(!has_kind(of_few, "foo") && !has_kind(of_few, "cud") && !has_kind(of_few, "m"));
    CHECK(!has_kind(session_hint(plain, KINDS), "mpi:alloc_mem")); /* each session has its own */

    comm = comm_of(few, MPI_INFO_NULL);
    CHECK_HINT(comm, KINDS, of_few);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    comm = comm_of(few, assertion);
    CHECK_HINT(comm, ASSERTED_KINDS, "system");
    CHECK_HINT(comm, KINDS, "system");
    dup = dup_of(comm);
    CHECK_HINT(dup, KINDS, of_few);
    CHECK_NO_HINT(dup, ASSERTED_KINDS);
    CHECK_EQ(MPI_Comm_split(dup, rank_in(dup), 0, &half), MPI_SUCCESS);
    CHECK_HINT(half, KINDS, of_few);
    set_hint(half, KINDS, "system");
    CHECK_HINT(half, KINDS, of_few); /* read-only */
    self = comm_of(plain, MPI_INFO_NULL);
    CHECK_STR(hint_of(self, KINDS), "mpi,system");
    CHECK_EQ(MPI_Comm_free(&self), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&assertion), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&few), MPI_SUCCESS);
}

static void empty_list(void)
{
    MPI_Session session = open_with(KINDS, "");

    CHECK(session_hint(session, KINDS) != NULL);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

static void hints_at_creation(void)
{
    MPI_Session session;
    MPI_Info info = info_with(NO_ANY_TAG, "true");
    MPI_Comm comm;

    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS); /* no hint of sessions */
    CHECK(session_hint(session, NO_ANY_TAG) == NULL);
    comm = comm_of(session, info);
    CHECK_HINT(comm, NO_ANY_TAG, "true");
    CHECK_HINT(comm, NO_ANY_SOURCE, "false");
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

int main(void)
{
    levels();
    kinds();
    empty_list();
    hints_at_creation();
    return 0;
}
