/* net: peers, and the transports that reach them.
 *
 * net_peer(lane, process) is a table lookup. The first use of a process picks the first transport that
 * reaches it, in the order of the list in net_open.c. The row inkling_transport says which of them are opened. A peer
 * keeps its transport.
 *
 * Processes of other jobs (card.h) are peers like any others, but in lane 0 only, and only after net_admit.
 *
 * Locks: peers and polls belong to lanes (transport.h). The caller holds the lock of the lane that it names.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include "net/transport.h"

enum {
    NET_LANES = 8,     /* at most */
    NET_TRANSPORTS = 8 /* at most */
};

/* Opens the transports. Called once by world_init, after boot_init. */
int net_open(void);
void net_close(void);

/* Whether all that was sent has left this process. The caller polls and asks again until it has. */
bool net_has_sent_all(void);
/* Whether this process must not end before the others have received what it sent, and can wait for them: the
 * job spans hosts, and no peer is lost. */
bool net_ends_together(void);

/* For net_open.c: one more transport is opened, which reaches processes that those before do not; none is any more. */
void net_use(const struct transport *transport);
void net_use_none(void);

/* Which network was taken, and why, once one was; "": none. Whether the user names one. */
const char *net_choice(void);
bool net_network_is_named(void);

/* Prepares for peers of other jobs, in shared memory and, if asked for, through the network. An error's note
 * says why that cannot be; where the network is missing, the class is MPI_ERR_UNSUPPORTED_OPERATION.
 * Idempotent. The caller holds lane 0. */
int net_admit(bool through_network);
/* Identifies the host (host_mine). 0: this process shares memory with no other. Processes of different jobs
 * with equal numbers communicate through shared memory, all others through the network. */
uint64_t net_host(void);
/* Whether this process shares its host's memory with all of these: the same on all of them. Nobody (net_nobody) is on no host. */
bool net_shares_host(const int *process, int count);

/* Opens all lanes, at the first call; any thread. is_near: for processes of this host, else for all of this job. False: there is only
 * lane 0, because a transport that reaches them has no more or memory is out. */
bool net_open_lanes(bool is_near);

/* Whether the job goes on when a process of it dies. Then there is lane 0 only, in which such a loss is reported. */
bool net_survives(void);
/* The class of errors that a lost process causes: MPIX_ERR_PROC_FAILED where the job survives, else MPI_ERR_PROC_ABORTED. */
int net_loss_class(void);
/* Whether processes of this job reach each other through the network. */
bool net_spans_hosts(void);
/* This process has finalized: when it ends it has not died. */
void net_say_over(void);
/* A number that no process has. Who wants a peer of it puts that into net_peers[0]. */
int net_nobody(void);

/* The transport that reaches a process, or would; nothing is connected for that. NULL: none does. */
const struct transport *net_transport(int process);
/* Connects to a process on its first use; use net_peer. NULL with a note: no transport reaches it. */
struct peer *net_connect(int lane, int process);

extern struct peer **net_peers[NET_LANES]; /* by process number; NULL: not connected yet */

static inline struct peer *net_peer(int lane, int process)
{
    struct peer *peer = net_peers[lane][process];

    return __builtin_expect(peer != 0, 1) ? peer : net_connect(lane, process);
}

/* The address at which this process can load and store what lies at `address` in the peer's memory
 * (transport.h: map). NULL: it cannot. The caller holds the peer's lane. */
static inline void *net_map(struct peer *peer, uint64_t address, size_t bytes)
{
    return peer->transport->map ? peer->transport->map(peer, address, bytes) : 0;
}

/* How long a caller that cannot reach a peer's memory any more waits for the news that the peer has ended. */
#define NET_LOSS_NS UINT64_C(1000000000)

/* Copies from or to `address` in the peer's memory: by loads and stores where this process maps it, else by the
 * transport. False: neither reaches it. */
bool net_get(struct peer *peer, void *to, uint64_t address, size_t bytes);
bool net_put(struct peer *peer, const void *from, uint64_t address, size_t bytes);
/* Whether they would; 0 bytes at address 0: at any address. */
bool net_can_copy(struct peer *peer, uint64_t address, size_t bytes);
/* The same for pieces of the peer's memory, at most NET_PIECES of `bytes` bytes in all, by the transport alone. Modifies
 * `there`. */
bool net_copy_pieces(struct peer *peer, bool is_put, void *here, size_t bytes, struct iovec *there,
                     int pieces);

/* Whether a message of this process to itself waits to be polled: what it sends itself now comes after it. */
bool net_self_waits(int lane);

/* The lane's next message of any transport; after true, net_release(&arrival) before its next net_poll. */
bool net_poll(int lane, struct arrival *arrival);
void net_release(const struct arrival *arrival);

#endif
