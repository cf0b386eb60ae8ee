/* connect: jobs that meet (MPI-5.0 sections 11.9 and 11.10.5): ports, MPI_Comm_accept and _connect, _join.
 *
 * Two processes, the roots, come to share a socket: one has opened a port (dynamic/port.h), the other knows its
 * name; or the program has made the socket. Over it each tells its host and a random number, opens the
 * network if they share no memory, and tells its card (net/card.h). Then each meets the other as a peer, so
 * that they can send to each other, and says whether it could. The rest is what MPI_Intercomm_create does:
 * the roots are leaders, with a communicator of their own whose context follows from both numbers
 * (comm/make/intercomm.h). So an error of one process is an error of both groups here too.
 *
 * The one who calls waits for the other's last word without limit, and the one who is called gives up a
 * caller who is silent: so they never disagree about whether they met, and nobody waits for a process that
 * has ended.
 */
#ifndef DYNAMIC_CONNECT_H
#define DYNAMIC_CONNECT_H

#include "comm/comm.h"

/* Bodies of MPI_Comm_X. port and info (hints; may be NULL) count at the root alone; error: of this rank's
 * arguments, told to all. */
int dynamic_accept(const char *port, struct info *info, int root, struct comm *comm, int error,
                   struct comm **newcomm);
int dynamic_connect(const char *port, struct info *info, int root, struct comm *comm, int error,
                    struct comm **newcomm);
/* *newcomm NULL: the two processes cannot reach each other. */
int dynamic_join(int fd, struct comm **newcomm);

/* The steps of the first two, for who lets processes be started and has more to look after meanwhile. */

/* Collective over comm, an intracommunicator: all its processes get ready, and name the same root. An error,
 * which may be this rank's, is one on all ranks. */
int connect_prepare(struct comm *comm, int root, int error);

/* The other root, whom this one has met. */
struct partner {
    int process;
    uint64_t context;
    bool has_called;
};

/* inkling_connect_timeout. */
uint64_t connect_patience(void);

/* At the root: waits for a caller at this port of its own, or calls at one; for so many nanoseconds, 0:
 * without limit. While it waits MPI makes progress. connect_await: *met false when the time is over;
 * connect_call: MPI_ERR_PORT then. */
int connect_await(const char *port, uint64_t patience_ns, struct partner *partner, bool *met);
int connect_call(const char *port, uint64_t patience_ns, struct partner *partner);

/* Collective over comm and the partner's communicator. error: this process has failed already and takes part
 * to tell; partner counts at the root alone, where it is NULL after an error. */
int connect_over(const struct partner *partner, int root, struct comm *comm, int error, struct info *info,
                 const char *call, struct comm **newcomm);

/* Bodies of MPI_Comm_accept and MPI_Comm_connect, of which some arguments count at the root alone. */
int dynamic_accept_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                           struct comm **newcomm);
int dynamic_connect_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                            struct comm **newcomm);

#endif
