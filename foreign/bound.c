/* Variables and events of MPI_T that are bound to an object: the address of its handle is handed over, of a kind that only the variable
 * tells. */
#include "foreign/foreign.h"

#include "entry.h"

/* A handle of any kind. */
union bound {
    MPI_Comm comm;
    MPI_Datatype datatype;
    MPI_Errhandler errhandler;
    MPI_File file;
    MPI_Group group;
    MPI_Op op;
    MPI_Request request;
    MPI_Win win;
    MPI_Message message;
    MPI_Info info;
    MPI_Session session;
};

/* What the program's address becomes. `bind` is Inkling's constant. */
static void *bound_in(union bound *room, int bind, const void *handle)
{
    if (!handle)
        return NULL;
    switch (bind) {
    case MPI_T_BIND_MPI_COMM:
        room->comm = comm_in(*(const F_Comm *)handle);
        return room;
    case MPI_T_BIND_MPI_DATATYPE:
        room->datatype = datatype_in(*(const F_Datatype *)handle);
        return room;
    case MPI_T_BIND_MPI_ERRHANDLER:
        room->errhandler = errhandler_in(*(const F_Errhandler *)handle);
        return room;
    case MPI_T_BIND_MPI_FILE:
        room->file = file_in(*(const F_File *)handle);
        return room;
    case MPI_T_BIND_MPI_GROUP:
        room->group = group_in(*(const F_Group *)handle);
        return room;
    case MPI_T_BIND_MPI_OP:
        room->op = op_in(*(const F_Op *)handle);
        return room;
    case MPI_T_BIND_MPI_REQUEST:
        room->request = request_in(*(const F_Request *)handle);
        return room;
    case MPI_T_BIND_MPI_WIN:
        room->win = win_in(*(const F_Win *)handle);
        return room;
    case MPI_T_BIND_MPI_MESSAGE:
        room->message = message_in(*(const F_Message *)handle);
        return room;
    case MPI_T_BIND_MPI_INFO:
        room->info = info_in(*(const F_Info *)handle);
        return room;
    case MPI_T_BIND_MPI_SESSION:
        room->session = session_in(*(const F_Session *)handle);
        return room;
    default:
        return (void *)(uintptr_t)handle;
    }
}

int foreign_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
    int bind = MPI_T_BIND_NO_OBJECT;
    union bound room;

    real.T_cvar_get_info(cvar_index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL);
    return error_out(real.T_cvar_handle_alloc(cvar_index, bound_in(&room, bind, obj_handle), handle, count));
}

int foreign_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                                MPI_T_pvar_handle *handle, int *count)
{
    int bind = MPI_T_BIND_NO_OBJECT;
    union bound room;

    real.T_pvar_get_info(pvar_index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL);
    return error_out(
        real.T_pvar_handle_alloc(session, pvar_index, bound_in(&room, bind, obj_handle), handle, count));
}

int foreign_T_event_handle_alloc(int event_index, void *obj_handle, F_Info info,
                                 MPI_T_event_registration *event_registration)
{
    int bind = MPI_T_BIND_NO_OBJECT;
    union bound room;

    real.T_event_get_info(event_index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind);
    return error_out(real.T_event_handle_alloc(event_index, bound_in(&room, bind, obj_handle), info_in(info),
                                               event_registration));
}
