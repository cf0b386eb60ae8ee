/* MPI_Session_init and MPI_Session_finalize. */
#include "runtime/runtime.h"

#include "boot/boot.h"
#include "making/hint_report.h"
#include "plain/fail.h"
#include "progress/progress.h"
#include "runtime/model.h"

static void session_report_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct session *s = object;

    if (hint_table[id].acts_on == ACTS_ON_LOCKING && lock_enabled &&
        session_thread_level(s) != MPI_THREAD_MULTIPLE)
        effect->absence = "another session or the World Model needs the locks";
}

/* is_final: the session ends. */
static void session_report(struct session *s, bool is_final)
{
    hint_report_object(
        &(struct report_object){
            .kind = "session", .title = "session", .rank = boot.rank, .place = s, .is_final = is_final},
        &s->hints, session_report_effect, s);
}

int session_open(struct info *info, struct errhandler *errhandler, struct session **session)
{
    struct session *s;
    int level, error = hint_process_fix(); /* it may offer the session hints from outside */

    if (!error)
        error = session_new(info, errhandler, &s);
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
    session_report(s, false);
    *session = s;
    return MPI_SUCCESS;
}

int session_close(struct session *session)
{
    if (!session_is_live(session))
        return fail(MPI_ERR_SESSION,
                    "the session was finalized before; its error handler may only look at it");
    session_report(session, true);
    progress_poll(); /* sends what this session queued last, if possible */
    object_retire(&session_pool, &session->object);
    session_unref(session);
    return model_close();
}
