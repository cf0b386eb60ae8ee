#include "api/call.h"

#include "api/arguments.h"
#include "api/raise.h"
#include "object/error.h"
#include "plain/fail.h"
#include "runtime/model.h"
#include "runtime/runtime.h"

enum {
    CALL_TEXT_SIZE = 1024
};

static void put_changed_handle(struct arguments *a)
{
    uint64_t handle;
    const void *at = blame_take_handle(&handle);

    for (int i = 0; at && i < a->count; i++) {
        if (a->at[i].by_pointer && a->at[i].pointer == at)
            a->at[i].number = (int64_t)handle;
    }
}

/* Drops what blame_object took. */
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
    if (!blame_take(&owner))
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
