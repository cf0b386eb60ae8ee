#include "api/call.h"

#include "api/arguments.h"
#include "api/raise.h"
#include "base/fail.h"
#include "runtime/model.h"
#include "runtime/world.h"

enum {
    CALL_TEXT_SIZE = 1024
};

static _Thread_local struct object *blamed;
static _Thread_local bool is_blamed;
static _Thread_local const void *recalled_at; /* NULL: nothing */
static _Thread_local uint64_t recalled;

void call_blame(struct object *owner)
{
    if (is_blamed)
        return;
    blamed = owner && (owner->kind == OBJECT_COMM || owner->kind == OBJECT_SESSION) ? owner : NULL;
    if (blamed)
        object_ref(blamed);
    is_blamed = true;
}

void call_recall(const void *at, uint64_t handle)
{
    recalled_at = at;
    recalled = handle;
}

static void put_recalled(struct arguments *a)
{
    for (int i = 0; recalled_at && i < a->count; i++) {
        if (a->at[i].by_pointer && a->at[i].pointer == recalled_at)
            a->at[i].number = (int64_t)recalled;
    }
    recalled_at = NULL;
}

static void unref_blamed(void)
{
    if (blamed && blamed->kind == OBJECT_COMM)
        comm_unref((struct comm *)blamed);
    if (blamed && blamed->kind == OBJECT_SESSION)
        session_unref((struct session *)blamed);
}

static int raise_with(const struct arguments *a, int error)
{
    char text[CALL_TEXT_SIZE];

    arguments_format(a, text, sizeof text);
    if (!is_blamed)
        return raise_error(arguments_owner(a), error, text);
    is_blamed = false;
    error = raise_error(blamed, error, text);
    unref_blamed();
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
        error = arguments_check(&a);
    return error ? raise_with(&a, error) : MPI_SUCCESS;
}

int call_raise(int error, const char *call, ...)
{
    struct arguments a;
    va_list list;

    va_start(list, call);
    arguments_get(&a, call, list);
    va_end(list);
    put_recalled(&a);
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
