/* p2p: point-to-point messages (MPI-5.0 chapters 3 and 4): matching, protocols, probe, buffers, partitions.
 *
 * Ranks may be MPI_PROC_NULL, receives may name MPI_ANY_SOURCE and MPI_ANY_TAG. The api layer has checked the
 * arguments. Any committed datatype will do: the sender packs items with gaps, the receiver unpacks them, and
 * only data travels. The collective plane of a communicator (`plane`) has a matching space and tags of its own.
 *
 * match/ decides which receive gets a message. rndv/ moves messages that are too large to travel at once, and
 * synchronous ones. transfer.h describes one send or receive in flight, lane.h what threads share.
 */
#ifndef P2P_P2P_H
#define P2P_P2P_H

#include "comm/comm.h"
#include "datatype/datatype.h"
#include "net/card.h"
#include "p2p/matched.h"
#include "request/request.h"

enum plane {
    PLANE_P2P,
    PLANE_COLL,
    PLANE_SETUP,     /* partitioned: what a Psend_init sends to the matching Precv_init */
    PLANE_PARTITION, /* partitioned: the data */
    PLANE_COUNT
};
enum send_mode {
    SEND_STANDARD,
    SEND_SYNCHRONOUS,
    SEND_READY,
    SEND_BUFFERED /* p2p_send_init only; see p2p_bsend */
};

/* Once per process, after net_open. */
int p2p_open(void);
/* Makes ready to meet processes of other jobs (net_admit). */
int p2p_admit(bool through_network);
/* The number of the process with this card, which can be sent to from now on, and whose end will be noticed.
 */
int p2p_meet(const struct card *card, int *process);
/* Waits until no send is under way on comm: those of freed requests and of buffers go on by themselves. */
void p2p_wait_sends(const struct comm *comm);
/* Sends what is still queued and waits until the receivers have taken every large message: its request may
 * have been freed, and the buffer may go with the process. Then waits for a while until all has left it, and keeps what
 * comes meanwhile: it may be for a session that is still to be opened. */
void p2p_drain(void);
/* Where the job survives deaths: tells processes of other jobs that this one has not died when it ends (lost.h). */
void p2p_say_over(void);
/* Whether a cancelled send that went on from a copy has not been taken yet. */
bool p2p_has_detached(void);

/* The general forms; the request is active. A NULL status is ignored. */
int p2p_isend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
              enum plane plane, enum send_mode mode, struct request **request);
int p2p_irecv(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
              enum plane plane, struct request **request);
/* The same without dual copy: all of a large message comes to lie in the cache of the core that receives it and
 * goes on with it. */
int p2p_irecv_single_copy(void *buf, MPI_Count count, struct datatype *type, int source, int tag,
                          struct comm *comm, enum plane plane, struct request **request);
int p2p_send(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
             enum plane plane, enum send_mode mode);
/* This rank has left a collective for a loss: `dest`, which waits for a message with this tag, is told so (lost.h). */
int p2p_tell_left(struct comm *comm, int dest, int tag);
int p2p_recv(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
             enum plane plane, struct status *status);
int p2p_sendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, int dest, int sendtag,
                 void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int source, int recvtag,
                 struct comm *comm, enum plane plane, struct status *status);
/* Cancels a receive that has not matched; otherwise does nothing. */
int p2p_cancel_recv(struct request *r);

/* Both parts under one request, whose status is that of the receive. */
int p2p_isendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, int dest, int sendtag,
                  void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int source, int recvtag,
                  struct comm *comm, struct request **request);
int p2p_isendrecv_replace(void *buf, MPI_Count count, struct datatype *type, int dest, int sendtag,
                          int source, int recvtag, struct comm *comm, struct request **request);
int p2p_sendrecv_replace(void *buf, MPI_Count count, struct datatype *type, int dest, int sendtag, int source,
                         int recvtag, struct comm *comm, struct status *status);

/* Persistent: inactive requests that request_start starts. */
int p2p_send_init(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag,
                  struct comm *comm, enum send_mode mode, struct request **request);
int p2p_recv_init(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
                  struct request **request);

/* Buffered sends copy the message into the buffer of the communicator or, if it has none, of its session or,
 * if that has none, of the process: MPI_ERR_BUFFER when there is no room. */
int p2p_bsend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm);
int p2p_ibsend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
               struct request **request);
/* The same with memory from the heap, for the library's own use. */
int p2p_send_copy(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag,
                  struct comm *comm, enum plane plane);
/* The object whose buffer is meant: a communicator, a session; NULL: the process. */
int bsend_attach(struct object *of, void *memory, MPI_Count size);
int bsend_detach(struct object *of, void *memory, MPI_Count *size); /* *(void **)memory is set */
int bsend_flush(struct object *of);
int bsend_iflush(struct object *of, struct request **request);

/* A message that a matched probe took out of the queue (MPI_Message). Receiving it frees it. */
struct matched;
int p2p_improbe(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
                struct status *status);
int p2p_mprobe(int source, int tag, struct comm *comm, struct matched **matched, struct status *status);
int p2p_imrecv(void *buf, MPI_Count count, struct datatype *type, struct matched *matched,
               struct request **request);

/* Partitioned: persistent requests; see partitioned.c for the scheme. */
int p2p_psend_init(const void *buf, int partitions, MPI_Count count, struct datatype *type, int dest, int tag,
                   struct comm *comm, struct request **request);
int p2p_precv_init(void *buf, int partitions, MPI_Count count, struct datatype *type, int source, int tag,
                   struct comm *comm, struct request **request);
/* Partitions low to high, both included; those of a list. One that is wrong, and none is marked. */
int p2p_pready(int low, int high, struct request *r);
int p2p_pready_list(int count, const int *partitions, struct request *r);
int p2p_parrived(struct request *r, int partition, int *flag);

int p2p_iprobe(int source, int tag, struct comm *comm, int *flag, struct status *status);
int p2p_probe(int source, int tag, struct comm *comm, struct status *status);

/* Bodies of MPI_Mrecv and MPI_Parrived. */
int p2p_mrecv(void *buf, MPI_Count count, struct datatype *type, struct matched *matched,
              struct status *status);
int p2p_parrived_of_handle(MPI_Request request, int partition, int *flag);

/* Bodies of the buffer procedures of communicators and sessions (MPI-5.0 section 3.6). */

int p2p_comm_attach_buffer(struct comm *comm, void *memory, MPI_Count size);
int p2p_comm_detach_buffer(struct comm *comm, void *memory, MPI_Count *size);
int p2p_comm_flush_buffer(struct comm *comm);
int p2p_comm_iflush_buffer(struct comm *comm, struct request **request);
int p2p_session_attach_buffer(struct session *session, void *memory, MPI_Count size);
int p2p_session_detach_buffer(struct session *session, void *memory, MPI_Count *size);
int p2p_session_flush_buffer(struct session *session);
int p2p_session_iflush_buffer(struct session *session, struct request **request);

#endif
