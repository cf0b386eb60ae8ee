#include "p2p/attach_buffer.h"

#include "p2p/p2p.h"

int p2p_comm_attach_buffer(struct comm *comm, void *memory, MPI_Count size)
{
    return buffer_attach(&comm->object, memory, size);
}

int p2p_comm_detach_buffer(struct comm *comm, void *memory, MPI_Count *size)
{
    return buffer_detach(&comm->object, memory, size);
}

int p2p_comm_flush_buffer(struct comm *comm)
{
    return buffer_flush(&comm->object);
}

int p2p_comm_iflush_buffer(struct comm *comm, struct request **request)
{
    return buffer_iflush(&comm->object, request);
}

int p2p_session_attach_buffer(struct session *session, void *memory, MPI_Count size)
{
    return buffer_attach(&session->object, memory, size);
}

int p2p_session_detach_buffer(struct session *session, void *memory, MPI_Count *size)
{
    return buffer_detach(&session->object, memory, size);
}

int p2p_session_flush_buffer(struct session *session)
{
    return buffer_flush(&session->object);
}

int p2p_session_iflush_buffer(struct session *session, struct request **request)
{
    return buffer_iflush(&session->object, request);
}
