/* ranks: 2 3  env: INKLING_PROGRESS_THREAD=true  not: address  not: thread */
/* A system that starts no thread: who asked for the progress thread is told, and gets a session once there is
 * one. */
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

static bool is_refused;

/* Before the system's, for the library too. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (!create)
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return is_refused ? EAGAIN : create(thread, attributes, run, argument);
}

int main(void)
{
    MPI_Session session = MPI_SESSION_NULL;

    is_refused = true;
    CHECK_CODE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_ERR_OTHER,
               "cannot start the thread of inkling_progress_thread");
    CHECK_EQ(session, MPI_SESSION_NULL);
    is_refused = false;
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    return 0;
}
