/* MPI_Init, MPI_Init_thread, their queries, MPI_Abort, and opening and closing sessions. */
#include "runtime/runtime.h"

#include "boot/boot.h"
#include "making/hint_report.h"
#include "plain/fail.h"
#include "progress/progress.h"
#include "runtime/model.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>

/* The requested level, or a higher one that mpiexec --thread-level requests (MPI-5.0 section 11.2.1). */
static int at_least(int required)
{
    int launched = session_level_named(getenv("INKLING_JOB_THREAD_LEVEL"));

    return launched > required ? launched : required;
}

int runtime_init(int *argc, char ***argv)
{
    int provided;

    (void)argc;
    (void)argv;
    return world_init(at_least(MPI_THREAD_SINGLE), &provided);
}

static bool is_thread_level(int level)
{
    return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED || level == MPI_THREAD_SERIALIZED ||
           level == MPI_THREAD_MULTIPLE;
}

int runtime_init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    if (!is_thread_level(required))
        return fail(MPI_ERR_ARG,
                    "required thread level %d is none of MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED, "
                    "_MULTIPLE",
                    required);
    return world_init(at_least(required), provided);
}

int runtime_initialized(int *flag)
{
    *flag = world_state() != WORLD_BEFORE;
    return MPI_SUCCESS;
}

int runtime_finalized(int *flag)
{
    *flag = world_state() == WORLD_AFTER;
    return MPI_SUCCESS;
}

int runtime_query_thread(int *provided)
{
    *provided = world_thread_level();
    return MPI_SUCCESS;
}

int runtime_is_thread_main(int *flag)
{
    *flag = world_is_main_thread();
    return MPI_SUCCESS;
}

void runtime_report(void)
{
    if (!model_is_open())
        return;
    hint_report_world();
    hint_report_rest();
    stats_report();
}

int runtime_abort(struct comm *comm, int code)
{
    const char *end = getenv("INKLING_JOB_END");
    char why[128];

    if (end)
        snprintf(why, sizeof why, "%s", end);
    else
        snprintf(why, sizeof why, "MPI_Abort(%.64s, %d) was called",
                 comm->name[0] ? comm->name : "a communicator", code);
    runtime_report();
    boot_abort(code, why);
}

/* MPI_Session_init and MPI_Session_finalize. */

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

int runtime_open_session(struct info *info, struct errhandler *errhandler, struct session **session)
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

int runtime_close_session(struct session *session)
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
