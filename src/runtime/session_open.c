#include "runtime/session_open.h"

#include "base/fail.h"
#include "progress/progress.h"
#include "runtime/model.h"

int session_open(struct info *info, struct errhandler *errhandler, struct session **session)
{
    struct session *s;
    int level, error = session_new(info, errhandler, &s);

    if (error)
        return error;
    level = session_thread_level(s);
    error = model_open(&level);
    if (error) {
        object_retire(&session_pool, &s->object);
        session_unref(s);
        return error;
    }
    session_set_thread_level(s, level);
    *session = s;
    return MPI_SUCCESS;
}

int session_close(struct session *session)
{
    if (!session_is_live(session))
        return fail(MPI_ERR_SESSION,
                    "the session was finalized before; its error handler may only look at it");
    progress_poll(); /* what this session sent last is on its way, if it can be */
    object_retire(&session_pool, &session->object);
    session_unref(session);
    return model_close();
}
