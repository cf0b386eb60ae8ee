/* thread_level: the library takes locks once a session was granted MPI_THREAD_MULTIPLE, and not before. While
 * one thread calls it, these locks cost no mutex, except with a progress thread. Linked with the library's
 * objects, since the switch is not exported. */
#include "base/lock.h"
#include "check.h"
#include "plain/cpu.h"

static MPI_Session open_with(const char *level)
{
    MPI_Session session;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "thread_level", level), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return session;
}

static void send_to_self(MPI_Session session)
{
    int sent = 1, got = 0;
    MPI_Group group;
    MPI_Comm comm;

    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://SELF", &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_from_group(group, "thread_level", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(got, 1);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
}

/* Whether locks may be biased towards one thread here. */
static bool may_be_biased(void)
{
    return cpu_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

int main(void)
{
    static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED"};
    MPI_Session session;

    for (int i = 0; i < 3; i++) {
        session = open_with(levels[i]);
        CHECK(!lock_enabled);
        CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    }
    session = open_with("MPI_THREAD_MULTIPLE");
    CHECK(lock_enabled);
    send_to_self(session);
    CHECK_EQ(lock_is_shared(), !may_be_biased());
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    return 0;
}
