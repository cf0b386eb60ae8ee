/* connect: connects jobs and parts them (MPI-5.0 sections 11.9 and 11.10): MPI_Comm_accept, MPI_Comm_connect,
 * MPI_Comm_join, MPI_Comm_disconnect.
 *
 * Two processes, the roots, first share a socket: one has opened a port (plain/port.h) and the other knows
 * its name, or the program has made the socket. Over it they make each other peers (dynamic/handshake.h). The
 * rest is what MPI_Intercomm_create does: the roots are leaders, with a communicator of their own whose context
 * follows from the handshake (making/intercomm.h). So an error of one process is an error of both groups
 * here too.
 */
#ifndef DYNAMIC_CONNECT_H
#define DYNAMIC_CONNECT_H

#include "comm/comm.h"
#include "dynamic/handshake.h"

/* Bodies of MPI_Comm_accept and MPI_Comm_connect. port and info (hints; may be NULL) are significant at the
 * root only. error: of this rank's arguments, passed on to all. */
int dynamic_accept(const char *port, struct info *info, int root, struct comm *comm, int error,
                   struct comm **newcomm);
int dynamic_connect(const char *port, struct info *info, int root, struct comm *comm, int error,
                    struct comm **newcomm);
/* *newcomm NULL: the two processes cannot reach each other. */
int dynamic_join(int fd, struct comm **newcomm);
/* Body of MPI_Comm_disconnect. Jobs that were spawned with comm no longer depend on this process. */
int dynamic_disconnect(struct comm *comm);

/* The steps of the first two, for a caller that has other work while it waits. */

/* Collective over comm, an intracommunicator: prepares all its processes, and checks that they name the same
 * root. An error of one rank is an error on all ranks. */
int connect_prepare(struct comm *comm, int root, int error);

/* inkling_connect_timeout. */
uint64_t connect_patience(void);

/* At the root: waits for a caller at its own port, or calls another's port, for so many nanoseconds, 0:
 * without limit. MPI makes progress meanwhile. When the time is over, connect_await sets *met to false, and
 * connect_call returns MPI_ERR_PORT. */
int connect_await(const char *port, uint64_t patience_ns, struct partner *partner, bool *met);
int connect_call(const char *port, uint64_t patience_ns, struct partner *partner);

/* Collective over comm and the partner's communicator. error: this process has failed already and takes part
 * only to report it. partner is significant at the root only, and NULL there after an error. */
int connect_over(const struct partner *partner, int root, struct comm *comm, int error, struct info *info,
                 const char *call, struct comm **newcomm);

/* Bodies of MPI_Comm_accept and MPI_Comm_connect; port and info are significant at the root only. */
int dynamic_accept_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                           struct comm **newcomm);
int dynamic_connect_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                            struct comm **newcomm);

#endif
