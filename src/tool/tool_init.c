/* MPI_T_init_thread and MPI_T_finalize: the first opens the settings, the last frees all handles. */
#include "hint/hint.h"
#include "plain/fail.h"
#include "tool/tool.h"

/* The settings are those of the environment, whoever is first to look at them. */
static int tool_open(void)
{
    if (hint_process_init())
        return fail(MPI_T_ERR_CANNOT_INIT, "an INKLING_ variable of the environment is not legal");
    return MPI_SUCCESS;
}

int tool_init_thread(int required, int *provided)
{
    int count, error = MPI_SUCCESS;

    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
        return fail(MPI_T_ERR_INVALID, "required %d is no level of thread support", required);
    lock_always_take(&tool_lock);
    count = atomic_load_explicit(&tool_opens, memory_order_relaxed);
    if (count == 0)
        error = tool_open();
    if (!error)
        atomic_store_explicit(&tool_opens, count + 1, memory_order_release);
    lock_always_release(&tool_lock);
    if (error)
        return error;
    tool_give(provided, MPI_THREAD_MULTIPLE);
    return MPI_SUCCESS;
}

int tool_finalize(void)
{
    int count, error = tool_enter();

    if (error)
        return error;
    count = atomic_load_explicit(&tool_opens, memory_order_relaxed) - 1;
    if (count == 0) {
        cvar_free_all();
        pvar_free_all();
        registration_free_all();
    }
    atomic_store_explicit(&tool_opens, count, memory_order_release);
    tool_leave();
    return MPI_SUCCESS;
}
