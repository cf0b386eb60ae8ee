/* Bodies of the buffer procedures of communicators and sessions (MPI-5.0 section 3.6). */
#ifndef API_BUFFER_H
#define API_BUFFER_H

#include "comm/comm.h"
#include "request/request.h"

int api_comm_attach_buffer(struct comm *comm, void *memory, MPI_Count size);
int api_comm_detach_buffer(struct comm *comm, void *memory, MPI_Count *size);
int api_comm_flush_buffer(struct comm *comm);
int api_comm_iflush_buffer(struct comm *comm, struct request **request);
int api_session_attach_buffer(struct session *session, void *memory, MPI_Count size);
int api_session_detach_buffer(struct session *session, void *memory, MPI_Count *size);
int api_session_flush_buffer(struct session *session);
int api_session_iflush_buffer(struct session *session, struct request **request);

#endif
