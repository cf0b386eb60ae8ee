/* attach_buffer: bodies of the buffer procedures of communicators and sessions (MPI-5.0 section 3.6). */
#ifndef P2P_ATTACH_BUFFER_H
#define P2P_ATTACH_BUFFER_H

#include "comm/comm.h"
#include "request/request.h"

int p2p_comm_attach_buffer(struct comm *comm, void *memory, MPI_Count size);
int p2p_comm_detach_buffer(struct comm *comm, void *memory, MPI_Count *size);
int p2p_comm_flush_buffer(struct comm *comm);
int p2p_comm_iflush_buffer(struct comm *comm, struct request **request);
int p2p_session_attach_buffer(struct session *session, void *memory, MPI_Count size);
int p2p_session_detach_buffer(struct session *session, void *memory, MPI_Count *size);
int p2p_session_flush_buffer(struct session *session);
int p2p_session_iflush_buffer(struct session *session, struct request **request);

#endif
