#include "api/errhandler.h"

#include "api/raise.h"

#include <stdio.h>

int api_comm_create_errhandler(MPI_Comm_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_COMM, (errhandler_fn *)function, errhandler);
}

int api_win_create_errhandler(MPI_Win_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_WIN, (errhandler_fn *)function, errhandler);
}

int api_file_create_errhandler(MPI_File_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_FILE, (errhandler_fn *)function, errhandler);
}

int api_session_create_errhandler(MPI_Session_errhandler_function *function, struct errhandler **errhandler)
{
    return errhandler_new(OBJECT_SESSION, (errhandler_fn *)function, errhandler);
}

/* A predefined handler has nothing to do with MPI_SUCCESS. */
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

int api_comm_call_errhandler(struct comm *comm, int code)
{
    return call_errhandler(&comm->errhandler, &comm->object, code, "Comm");
}

int api_file_call_errhandler(struct file *file, int code)
{
    file = file ? file : &file_null;
    return call_errhandler(&file->errhandler, &file->object, code, "File");
}

int api_session_call_errhandler(struct session *session, int code)
{
    return call_errhandler(&session->errhandler, &session->object, code, "Session");
}
