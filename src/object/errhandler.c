#include "object/errhandler.h"

#include "object/error.h"
#include "plain/fail.h"

#include <stdlib.h>
#include <strings.h>

static _Thread_local struct object *blamed;
static _Thread_local bool is_blamed;
static _Thread_local const void *changed_at; /* NULL: nothing changed */
static _Thread_local uint64_t changed;

/* Whether errhandler_blame_object takes a reference to it: to communicators and sessions, which live as long as they have one.
 * Windows and files end with their handles; they may not while requests of theirs are left. */
static bool errhandler_blame_is_counted(const struct object *owner)
{
    return owner->kind == OBJECT_COMM || owner->kind == OBJECT_SESSION;
}

/* A window or a file that was freed although requests of its were left has none. */
static bool has_handler(const struct object *owner)
{
    if (owner->kind == OBJECT_WIN || owner->kind == OBJECT_FILE)
        return object_handle(owner) != 0;
    return errhandler_blame_is_counted(owner);
}

void errhandler_blame_object(struct object *owner)
{
    if (is_blamed)
        return;
    blamed = owner && has_handler(owner) ? owner : NULL;
    if (blamed && errhandler_blame_is_counted(blamed))
        object_ref(blamed);
    is_blamed = true;
}

bool errhandler_blame_take(struct object **owner)
{
    bool is = is_blamed;

    *owner = is ? blamed : NULL;
    is_blamed = false;
    return is;
}

void errhandler_blame_handle(const void *at, uint64_t handle)
{
    changed_at = at;
    changed = handle;
}

const void *errhandler_blame_take_handle(uint64_t *handle)
{
    const void *at = changed_at;

    *handle = changed;
    changed_at = NULL;
    return at;
}

struct pool errhandler_pool = POOL_INIT(OBJECT_ERRHANDLER, struct errhandler);
struct errhandler errhandler_fatal, errhandler_abort, errhandler_return;

/* Guards every object's `errhandler` slot. */
static struct lock slot_lock = LOCK_INIT;

static void register_predefined(void)
{
    object_predefine(&errhandler_fatal.object, OBJECT_ERRHANDLER, (uintptr_t)MPI_ERRORS_ARE_FATAL);
    object_predefine(&errhandler_abort.object, OBJECT_ERRHANDLER, (uintptr_t)MPI_ERRORS_ABORT);
    object_predefine(&errhandler_return.object, OBJECT_ERRHANDLER, (uintptr_t)MPI_ERRORS_RETURN);
}

void errhandler_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, register_predefined);
}

void errhandler_ref(struct errhandler *e)
{
    if (!e->object.predefined)
        object_ref(&e->object);
}

void errhandler_unref(struct errhandler *e)
{
    if (!e->object.predefined && object_unref(&e->object))
        pool_free(&errhandler_pool, e);
}

int errhandler_new(enum object_kind on, errhandler_fn *call, struct errhandler **errhandler)
{
    struct errhandler *e;

    if (!call)
        return fail(MPI_ERR_ARG, "the error handler function is a null pointer");
    e = pool_new(&errhandler_pool);
    if (!e)
        return fail(MPI_ERR_NO_MEM, "no memory for an error handler");
    e->on = on;
    e->call.any = call;
    object_hand_out(&errhandler_pool, &e->object);
    errhandler_unref(e);
    *errhandler = e;
    return MPI_SUCCESS;
}

int errhandler_free(struct errhandler *e)
{
    if (!object_take_back(&errhandler_pool, &e->object))
        return fail(MPI_ERR_ERRHANDLER, "this error handler has been freed as often as it was handed out");
    errhandler_unref(e);
    return MPI_SUCCESS;
}

struct errhandler *errhandler_initial(void)
{
    const char *name = getenv("INKLING_JOB_ERRHANDLER");

    if (name && strcasecmp(name, "mpi_errors_return") == 0)
        return &errhandler_return;
    if (name && strcasecmp(name, "mpi_errors_abort") == 0)
        return &errhandler_abort;
    return &errhandler_fatal;
}

static const char *kind_name(enum object_kind kind)
{
    switch (kind) {
    case OBJECT_COMM:
        return "communicators";
    case OBJECT_WIN:
        return "windows";
    case OBJECT_FILE:
        return "files";
    case OBJECT_SESSION:
        return "sessions";
    default:
        return "objects of another kind";
    }
}

int errhandler_attach(struct errhandler **slot, enum object_kind on, struct errhandler *e)
{
    struct errhandler *old;

    if (e->on != OBJECT_NONE && e->on != on)
        return fail(MPI_ERR_ERRHANDLER, "the error handler was made for %s; %s need one of their own kind",
                    kind_name(e->on), kind_name(on));
    errhandler_ref(e);
    lock_always_take(&slot_lock);
    old = *slot;
    *slot = e;
    lock_always_release(&slot_lock);
    if (old)
        errhandler_unref(old);
    return MPI_SUCCESS;
}

struct errhandler *errhandler_of(struct errhandler *const *slot)
{
    struct errhandler *e;

    lock_always_take(&slot_lock);
    e = *slot;
    errhandler_ref(e);
    lock_always_release(&slot_lock);
    return e;
}

void errhandler_hand_out(struct errhandler *const *slot, struct errhandler **errhandler)
{
    struct errhandler *e = errhandler_of(slot);

    object_hand_out(&errhandler_pool, &e->object);
    errhandler_unref(e);
    *errhandler = e;
}

struct errhandler *errhandler_find(MPI_Errhandler handle)
{
    errhandler_init();
    return (struct errhandler *)object_find(&errhandler_pool, handle, 0x140, 8);
}

int errhandler_create_for_comm(MPI_Comm_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_COMM, (errhandler_fn *)function, errhandler);
}

int errhandler_create_for_win(MPI_Win_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_WIN, (errhandler_fn *)function, errhandler);
}

int errhandler_create_for_file(MPI_File_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_FILE, (errhandler_fn *)function, errhandler);
}

int errhandler_create_for_session(MPI_Session_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_SESSION, (errhandler_fn *)function, errhandler);
}
