#include "p2p/attach_buffer.h"

#include "p2p/p2p.h"

int p2p_comm_attach_buffer(struct comm *comm, void *memory, MPI_Count size)
{
    return bsend_attach(&comm->object, memory, size);
}

int p2p_comm_detach_buffer(struct comm *comm, void *memory, MPI_Count *size)
{
    return bsend_detach(&comm->object, memory, size);
}

int p2p_comm_flush_buffer(struct comm *comm)
{
    return bsend_flush(&comm->object);
}

int p2p_comm_iflush_buffer(struct comm *comm, struct request **request)
{
    return bsend_iflush(&comm->object, request);
}

int p2p_session_attach_buffer(struct session *session, void *memory, MPI_Count size)
{
    return bsend_attach(&session->object, memory, size);
}

int p2p_session_detach_buffer(struct session *session, void *memory, MPI_Count *size)
{
    return bsend_detach(&session->object, memory, size);
}

int p2p_session_flush_buffer(struct session *session)
{
    return bsend_flush(&session->object);
}

int p2p_session_iflush_buffer(struct session *session, struct request **request)
{
    return bsend_iflush(&session->object, request);
}
