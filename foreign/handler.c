/* Error handlers of the program's. Those of the C++ bindings may throw, which no frame of Inkling's may see: they run when the call that has
 * failed is over and has given back what it took (call_failed). */
#include "foreign/callback.h"

#include "entry.h"

#include <pthread.h>

static struct slots comm_handlers, file_handlers, win_handlers, session_handlers;

/* The handler that this thread's call has met. */
static _Thread_local struct late {
    bool is_met;
    enum cxx_kind kind;
    cxx_function *function;
    int code;
    union {
        F_Comm comm;
        F_Win win;
        F_File file;
    } object;
} late;

/* The last handler that this thread has run or is to run: an object's, for an error. */
static _Thread_local struct {
    enum cxx_kind kind;
    uint64_t object;
    int code;
} handled;

bool inkling_cxx_was_handled(enum cxx_kind kind, uint64_t object, int code)
{
    bool is_so = handled.code == code && handled.kind == kind && handled.object == object;

    handled.code = MPI_SUCCESS;
    return is_so;
}

/* Stands in a slot for MPI::ERRORS_THROW_EXCEPTIONS. */
static void throws(void)
{
}

static void note_handled(any_function *function, enum cxx_kind kind, uint64_t object, int code)
{
    handled.kind = kind;
    handled.object = object;
    handled.code = function == throws ? MPI_SUCCESS : code;
}

int call_failed(int error)
{
    struct late now = late;

    late.is_met = false;
    if (now.is_met && now.function != throws)
        cxx_calls()->handler(now.kind, &now.object, &now.code, now.function);
    else if (now.is_met && cxx_calls()->raise)
        cxx_calls()->raise(now.code);
    return error_out(error);
}

void call_comm_handler(int slot, MPI_Comm *comm, int *code)
{
    any_function *function = function_at(&comm_handlers, slot);
    F_Comm out = comm_out(*comm);
    int error = error_out(*code);

    note_handled(function, CXX_COMM, (uint64_t)(uintptr_t)out, error);
    if (comm_handlers.is_cxx[slot])
        late = (struct late){true, CXX_COMM, function, error, {.comm = out}};
    else
        ((F_Comm_errhandler_function *)function)(&out, &error, NULL);
}

void call_file_handler(int slot, MPI_File *file, int *code)
{
    any_function *function = function_at(&file_handlers, slot);
    F_File out = file_out(*file);
    int error = error_out(*code);

    note_handled(function, CXX_FILE, (uint64_t)(uintptr_t)out, error);
    if (file_handlers.is_cxx[slot])
        late = (struct late){true, CXX_FILE, function, error, {.file = out}};
    else
        ((F_File_errhandler_function *)function)(&out, &error, NULL);
}

void call_win_handler(int slot, MPI_Win *win, int *code)
{
    any_function *function = function_at(&win_handlers, slot);
    F_Win out = win_out(*win);
    int error = error_out(*code);

    note_handled(function, CXX_WIN, (uint64_t)(uintptr_t)out, error);
    if (win_handlers.is_cxx[slot])
        late = (struct late){true, CXX_WIN, function, error, {.win = out}};
    else
        ((F_Win_errhandler_function *)function)(&out, &error, NULL);
}

void call_session_handler(int slot, MPI_Session *session, int *code)
{
    F_Session out = session_out(*session);
    int error = error_out(*code);

    ((F_Session_errhandler_function *)function_at(&session_handlers, slot))(&out, &error, NULL);
}

static int handler_made(int error, MPI_Errhandler made, F_Errhandler *errhandler)
{
    if (made)
        *errhandler = errhandler_out(made);
    return call_ended(error);
}

int foreign_Comm_create_errhandler(F_Comm_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&comm_handlers, (any_function *)function, false) : 0, error;

    if (slot < 0)
        return no_slot();
    error =
        real.Comm_create_errhandler(function ? comm_handler_slots[slot] : NULL, errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

int foreign_File_create_errhandler(F_File_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&file_handlers, (any_function *)function, false) : 0, error;

    if (slot < 0)
        return no_slot();
    error =
        real.File_create_errhandler(function ? file_handler_slots[slot] : NULL, errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

int foreign_Win_create_errhandler(F_Win_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&win_handlers, (any_function *)function, false) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Win_create_errhandler(function ? win_handler_slots[slot] : NULL, errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

int foreign_Session_create_errhandler(F_Session_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&session_handlers, (any_function *)function, false) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Session_create_errhandler(function ? session_handler_slots[slot] : NULL,
                                           errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

/* The C++ bindings. */

int inkling_cxx_handler(enum cxx_kind kind, cxx_function *function, void *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot, error;

    slot = slot_of(kind == CXX_COMM  ? &comm_handlers
                   : kind == CXX_WIN ? &win_handlers
                                     : &file_handlers,
                   function, true);
    if (slot < 0)
        return no_slot();
    if (kind == CXX_COMM)
        error = real.Comm_create_errhandler(comm_handler_slots[slot], &made);
    else if (kind == CXX_WIN)
        error = real.Win_create_errhandler(win_handler_slots[slot], &made);
    else
        error = real.File_create_errhandler(file_handler_slots[slot], &made);
    return handler_made(error, made, errhandler);
}

static pthread_mutex_t throwing_lock = PTHREAD_MUTEX_INITIALIZER; /* guards `throwing` */
static MPI_Errhandler
    throwing[CXX_KINDS]; /* the handlers behind MPI::ERRORS_THROW_EXCEPTIONS; NULL: not made yet */

/* Keeps the handler, unless another thread has made one; returns the one that is there. */
static MPI_Errhandler throwing_kept(enum cxx_kind kind, MPI_Errhandler made)
{
    MPI_Errhandler there;

    pthread_mutex_lock(&throwing_lock);
    if (!throwing[kind])
        throwing[kind] = made;
    there = throwing[kind];
    pthread_mutex_unlock(&throwing_lock);
    return there;
}

void handlers_end(void)
{
    pthread_mutex_lock(&throwing_lock);
    for (int kind = 0; kind < CXX_KINDS; kind++)
        if (throwing[kind]) {
            real.Errhandler_free(&throwing[kind]);
            throwing[kind] = NULL;
        }
    pthread_mutex_unlock(&throwing_lock);
}

static MPI_Errhandler handler_in(enum cxx_kind kind, MPI_Errhandler errhandler)
{
    MPI_Errhandler there;
    F_Errhandler made;

    if (errhandler != HANDLER_THROWS)
        return errhandler;
    there = throwing_kept(kind, NULL);
    if (!there && inkling_cxx_handler(kind, throws, &made) == MPI_SUCCESS)
        there = throwing_kept(kind, errhandler_in(made));
    return there;
}

MPI_Errhandler comm_handler_in(F_Errhandler errhandler)
{
    return handler_in(CXX_COMM, errhandler_in(errhandler));
}

MPI_Errhandler win_handler_in(F_Errhandler errhandler)
{
    return handler_in(CXX_WIN, errhandler_in(errhandler));
}

MPI_Errhandler file_handler_in(F_Errhandler errhandler)
{
    return handler_in(CXX_FILE, errhandler_in(errhandler));
}

F_Errhandler handler_out(MPI_Errhandler errhandler)
{
    bool is_throwing = false;

    pthread_mutex_lock(&throwing_lock);
    for (int kind = 0; kind < CXX_KINDS; kind++)
        is_throwing = is_throwing || errhandler == throwing[kind];
    pthread_mutex_unlock(&throwing_lock);
    if (!is_throwing)
        return errhandler_out(errhandler);
    real.Errhandler_free(&errhandler); /* the program's reference: it has the predefined handle */
    return errhandler_out(HANDLER_THROWS);
}

int foreign_Errhandler_free(F_Errhandler *errhandler)
{
    MPI_Errhandler now = errhandler ? errhandler_in(*errhandler) : NULL, was = now;
    int error = MPI_SUCCESS;

    if (was == HANDLER_THROWS)
        now = MPI_ERRHANDLER_NULL;
    else
        error = real.Errhandler_free(errhandler ? &now : NULL);
    if (now != was) {
        errhandler_drop(*errhandler);
        *errhandler = errhandler_out(now);
    }
    return call_ended(error);
}
