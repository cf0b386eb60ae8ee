/* thread_level: the library takes locks once a session was granted MPI_THREAD_MULTIPLE, and not before.
 * Linked with the library's objects, since the switch is not exported. */
#include "base/lock.h"
#include "check.h"

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
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    return 0;
}
