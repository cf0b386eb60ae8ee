/* errhandler: what to do with an error (MPI-5.0 section 9.3).
 *
 * The noun only: which handler an object carries and what it is. Calling one is the api layer's business
 * (api/raise.c), which alone knows the call that failed.
 */
#ifndef OBJECT_ERRHANDLER_H
#define OBJECT_ERRHANDLER_H

#include "object/object.h"

#include <mpi.h>

struct errhandler {
    struct object object; /* predefined: MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN */
    enum object_kind on;  /* OBJECT_COMM, OBJECT_WIN, OBJECT_FILE, OBJECT_SESSION; OBJECT_NONE: predefined */
    union {
        MPI_Comm_errhandler_function *comm;
        MPI_Win_errhandler_function *win;
        MPI_File_errhandler_function *file;
        MPI_Session_errhandler_function *session;
    } call;
};

extern struct pool errhandler_pool;
extern struct errhandler errhandler_fatal, errhandler_abort, errhandler_return;

/* Registers the predefined handles. Idempotent; called before any lookup. */
void errhandler_init(void);

void errhandler_ref(struct errhandler *e);
void errhandler_unref(struct errhandler *e);

#endif
