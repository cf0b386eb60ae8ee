/* errhandler: what to do with an error (MPI-5.0 section 9.3).
 *
 * This is the noun only: which handler an object carries, and what a handler is. Only the api layer calls
 * handlers (api/raise.c), because only it knows the call that failed.
 */
#ifndef OBJECT_ERRHANDLER_H
#define OBJECT_ERRHANDLER_H

#include "object/object.h"

#include <mpi.h>

/* A handler function of any kind; it is called through the member of its kind. */
typedef void errhandler_fn(void);

struct errhandler {
    struct object object; /* predefined: MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN */
    enum object_kind on;  /* OBJECT_COMM, OBJECT_WIN, OBJECT_FILE, OBJECT_SESSION; OBJECT_NONE: predefined */
    union {
        errhandler_fn *any; /* NULL: predefined */
        MPI_Comm_errhandler_function *comm;
        MPI_Win_errhandler_function *win;
        MPI_File_errhandler_function *file;
        MPI_Session_errhandler_function *session;
    } call;
};

extern struct pool errhandler_pool;
/* The live error handler of a handle, or NULL. Any value is safe, at any time. */
struct errhandler *errhandler_find(MPI_Errhandler handle);
extern struct errhandler errhandler_fatal, errhandler_abort, errhandler_return;
/* The handler that the launcher was asked for (MPI-5.0 section 11.2.1); fatal by default. */
struct errhandler *errhandler_initial(void);

/* Registers the predefined handles. Idempotent; called before any lookup. */
void errhandler_init(void);

void errhandler_ref(struct errhandler *e);
void errhandler_unref(struct errhandler *e);

/* MPI_X_create_errhandler for objects of kind `on`, and MPI_Errhandler_free. */
int errhandler_new(enum object_kind on, errhandler_fn *call, struct errhandler **errhandler);
int errhandler_free(struct errhandler *e);

/* The slot is the `errhandler` member of an object of kind `on`. It owns a reference, and its readers and
 * writers are serialised here. attach replaces the handler (MPI_ERR_ERRHANDLER for one of another kind). of
 * returns it with a reference for the caller. hand_out gives it to the program, which frees it. */
int errhandler_attach(struct errhandler **slot, enum object_kind on, struct errhandler *e);
struct errhandler *errhandler_of(struct errhandler *const *slot);
void errhandler_hand_out(struct errhandler *const *slot, struct errhandler **errhandler);

/* Bodies of MPI_X_create_errhandler. */
int errhandler_create_for_comm(MPI_Comm_errhandler_function *function, struct errhandler **errhandler);
int errhandler_create_for_win(MPI_Win_errhandler_function *function, struct errhandler **errhandler);
int errhandler_create_for_file(MPI_File_errhandler_function *function, struct errhandler **errhandler);
int errhandler_create_for_session(MPI_Session_errhandler_function *function, struct errhandler **errhandler);

/* Blame: which object's error handler gets the error that the calling thread's current MPI call is about to
 * return.
 *
 * A body uses it where it knows better than the entry point (api/call.h): for a failed receive that
 * MPI_Waitall finds.
 *
 * Threads: each has its own.
 */

/* Chooses the handler of this object: a communicator, a session, a window or a file. Any other object, or NULL,
 * chooses that of errors without an object (api/raise.h). Only the first blame of a call counts. */
void errhandler_blame_object(struct object *owner);
/* False: nothing was blamed. *owner: NULL: none; the caller now owns the reference, if it is counted. */
bool errhandler_blame_take(struct object **owner);

/* Notes the handle that the caller passed at this address. For a body that changes the handle before it
 * returns an error: the message shows the original. */
void errhandler_blame_handle(const void *at, uint64_t handle);
/* NULL: none was changed. */
const void *errhandler_blame_take_handle(uint64_t *handle);

#endif
