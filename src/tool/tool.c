#include "tool/tool.h"

#include "base/address.h"
#include "comm/comm.h"
#include "plain/fail.h"

#include <string.h>

struct lock tool_lock = LOCK_INIT;
_Atomic int tool_opens;

static int fail_closed(void)
{
    return fail(MPI_T_ERR_NOT_INITIALIZED, "MPI_T_init_thread was not called, or MPI_T_finalize as often");
}

int tool_check(void)
{
    return atomic_load_explicit(&tool_opens, memory_order_acquire) ? MPI_SUCCESS : fail_closed();
}

int tool_enter(void)
{
    lock_always_take(&tool_lock);
    if (atomic_load_explicit(&tool_opens, memory_order_relaxed))
        return MPI_SUCCESS;
    lock_always_release(&tool_lock);
    return fail_closed();
}

void tool_leave(void)
{
    lock_always_release(&tool_lock);
}

void tool_copy_text(const char *text, char *buffer, int *length)
{
    size_t bytes = strlen(text), room;

    if (!length)
        return;
    room = *length > 0 ? (size_t)*length - 1 : 0;
    if (buffer && *length > 0) {
        memcpy(buffer, text, bytes < room ? bytes : room);
        buffer[bytes < room ? bytes : room] = '\0';
    }
    *length = (int)bytes + 1;
}

int tool_fail_index(const char *what, int index, int count)
{
    return fail(MPI_T_ERR_INVALID_INDEX, "%s %d is not there; there are %d", what, index, count);
}

int tool_fail_name(const char *what, const char *name)
{
    return fail(MPI_T_ERR_INVALID_NAME, "there is no %s \"%.80s\"; `inkling vars` lists them", what, name);
}

int tool_fail_null(const char *argument)
{
    return fail(MPI_T_ERR_INVALID, "%s is NULL", argument);
}

int tool_fail_handle(const char *what)
{
    return fail(MPI_T_ERR_INVALID_HANDLE, "the handle is that of no %s", what);
}

int tool_find_comm(const MPI_Comm *obj_handle, const struct comm **comm)
{
    if (comm_find((MPI_Comm)(uintptr_t)obj_handle))
        return fail(MPI_T_ERR_INVALID_HANDLE,
                    "obj_handle is a communicator's handle; the address of that handle is due");
    *comm = address_is_in_first_page(obj_handle) ? NULL : comm_find(*obj_handle);
    return *comm ? MPI_SUCCESS
                 : fail(MPI_T_ERR_INVALID_HANDLE,
                        "obj_handle is not the address of a valid communicator's handle");
}
