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
int api_comm_call_errhandler(struct comm *comm, int code)
{
    struct errhandler *e = errhandler_of(&comm->errhandler);
    bool predefined = e->object.predefined;
    char call[64];

    errhandler_unref(e);
    if (code == MPI_SUCCESS && predefined)
        return MPI_SUCCESS;
    snprintf(call, sizeof call, "MPI_Comm_call_errhandler(errorcode=%d)", code);
    raise_error(&comm->object, code, call);
    return MPI_SUCCESS;
}
