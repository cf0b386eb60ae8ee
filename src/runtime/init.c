/* MPI_Init, MPI_Init_thread, their queries, and MPI_Abort. */
#include "runtime/runtime.h"

#include "boot/boot.h"
#include "making/hint_report.h"
#include "plain/fail.h"
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
