/* p2p: point-to-point messages (MPI-5.0 chapter 3): matching, protocols, probe.
 *
 * Ranks may be MPI_PROC_NULL, receives may name MPI_ANY_SOURCE and MPI_ANY_TAG; arguments have been checked
 * by the api layer. Any committed datatype will do: what has gaps in
 * memory is packed by the sender and unpacked by the receiver, and only data travels. The collective plane
 * of a communicator (`plane`) has its own matching space with tags of its own.
 */
#ifndef P2P_P2P_H
#define P2P_P2P_H

#include "comm/comm.h"
#include "datatype/datatype.h"
#include "request/request.h"

enum plane {
    PLANE_P2P,
    PLANE_COLL
};
enum send_mode {
    SEND_STANDARD,
    SEND_SYNCHRONOUS,
    SEND_READY
};

/* Once per process, after net_open and before net_close. Closing first sends what is still queued and waits
 * until the receivers have taken every large message: its request may have been freed, and the buffer goes
 * with the process. */
int p2p_open(void);
void p2p_close(void);

/* The general forms; the request is active. A NULL status is ignored. */
int p2p_isend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
              enum plane plane, enum send_mode mode, struct request **request);
int p2p_irecv(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
              enum plane plane, struct request **request);
int p2p_send(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
             enum plane plane, enum send_mode mode);
int p2p_recv(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
             enum plane plane, struct status *status);
int p2p_sendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, int dest, int sendtag,
                 void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int source, int recvtag,
                 struct comm *comm, enum plane plane, struct status *status);
/* Cancels a receive that has not matched; otherwise does nothing. */
void p2p_cancel_recv(struct request *r);

int p2p_iprobe(int source, int tag, struct comm *comm, int *flag, struct status *status);
int p2p_probe(int source, int tag, struct comm *comm, struct status *status);

#endif
