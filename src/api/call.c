#include "api/call.h"

#include "api/arguments.h"
#include "api/raise.h"
#include "object/errhandler.h"
#include "plain/fail.h"
#include "runtime/model.h"
#include "runtime/runtime.h"

#include <stdio.h>

enum {
    CALL_TEXT_SIZE = 1024
};

static void put_changed_handle(struct arguments *a)
{
    uint64_t handle;
    const void *at = errhandler_blame_take_handle(&handle);

    for (int i = 0; at && i < a->count; i++) {
        if (a->at[i].by_pointer && a->at[i].pointer == at)
            a->at[i].number = (int64_t)handle;
    }
}

/* Drops what errhandler_blame_object took. */
static void unref_owner(struct object *owner)
{
    if (owner && owner->kind == OBJECT_COMM)
        comm_unref((struct comm *)owner);
    if (owner && owner->kind == OBJECT_SESSION)
        session_unref((struct session *)owner);
}

static int raise_with(const struct arguments *a, int error)
{
    char text[CALL_TEXT_SIZE];
    struct object *owner;

    arguments_format(a, text, sizeof text);
    if (!errhandler_blame_take(&owner))
        return raise_error(arguments_owner(a), error, text);
    error = raise_error(owner, error, text);
    unref_owner(owner);
    return error;
}

int call_refuse(const char *call, ...)
{
    struct arguments a;
    va_list list;
    int error = MPI_SUCCESS;

    va_start(list, call);
    arguments_get(&a, call, list);
    va_end(list);
    if (!a.any_time && !model_is_open())
        error = fail(MPI_ERR_OTHER, "%s was called %s", a.name,
                     world_state() == WORLD_BEFORE ? "before MPI_Init or MPI_Session_init"
                                                   : "after MPI_Finalize");
    if (!error)
        error = check_arguments(&a);
    return error ? raise_with(&a, error) : MPI_SUCCESS;
}

int call_raise(int error, const char *call, ...)
{
    struct arguments a;
    va_list list;

    va_start(list, call);
    arguments_get(&a, call, list);
    va_end(list);
    put_changed_handle(&a);
    return raise_with(&a, error);
}

int call_unsupported(const char *call, ...)
{
    struct arguments a;
    va_list list;

    va_start(list, call);
    arguments_get(&a, call, list);
    va_end(list);
    return raise_with(&a, fail(MPI_ERR_UNSUPPORTED_OPERATION, "%s is not written yet", a.name));
}

/* Predefined handlers do nothing for MPI_SUCCESS. */
static int call_errhandler(struct errhandler **slot, struct object *owner, int code, const char *kind)
{
    struct errhandler *e = errhandler_of(slot);
    bool predefined = e->object.predefined;
    char call[64];

    errhandler_unref(e);
    if (code == MPI_SUCCESS && predefined)
        return MPI_SUCCESS;
    snprintf(call, sizeof call, "MPI_%s_call_errhandler(errorcode=%d)", kind, code);
    raise_error(owner, code, call);
    return MPI_SUCCESS;
}

int call_errhandler_of_comm(struct comm *comm, int code)
{
    return call_errhandler(&comm->errhandler, &comm->object, code, "Comm");
}

int call_errhandler_of_file(struct file *file, int code)
{
    file = file ? file : &file_null;
    return call_errhandler(&file->errhandler, &file->object, code, "File");
}

int call_errhandler_of_win(struct win *win, int code)
{
    return call_errhandler(&win->errhandler, &win->object, code, "Win");
}

int call_errhandler_of_session(struct session *session, int code)
{
    return call_errhandler(&session->errhandler, &session->object, code, "Session");
}
