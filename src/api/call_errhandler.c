#include "api/call.h"

#include "api/raise.h"

#include <stdio.h>

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
