/* net: peers, and the transports that reach them.
 *
 * net_peer(lane, process) is a table lookup; the first use of a process picks the first transport that
 * reaches it, in the order self, shm, ofi. Which are opened: the row inkling_transport. A peer, once made,
 * keeps its transport.
 *
 * Processes of other jobs (card.h) are peers like any others, but in lane 0 alone, once net_admit has made
 * ready for them.
 *
 * Peers belong to lanes (transport.h), and so do polls: the caller holds the lock of the lane that it names.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include "net/transport.h"

enum {
    NET_LANES = 8 /* at most */
};

/* Opens the transports. Called once by world_init, after boot_init. */
int net_open(void);
void net_close(void);

/* Whether what was sent has left this process; asked until it has, with polls in between. */
bool net_has_sent_all(void);
/* Whether a process must not end before the others have taken in what it sent, and can wait for them: none
 * is lost. */
bool net_ends_together(void);

/* Makes ready to meet processes of other jobs, in shared memory and, if asked for, through the network. An
 * error tells why that cannot be: MPI_ERR_UNSUPPORTED_OPERATION. Idempotent; the caller holds lane 0. */
int net_admit(bool through_network);
/* What tells the host from others (host_mine), 0: this process shares memory with nobody. Processes of
 * several jobs whose numbers are the same meet in shared memory, all others through the network. */
uint64_t net_host(void);

/* Makes all lanes ready, at the first call; any thread. False: there is only lane 0, since a transport that
 * is in use has no more, or memory is out. */
bool net_open_lanes(void);

/* Connects to a process on its first use; use net_peer. NULL with a note when nothing reaches it. */
struct peer *net_connect(int lane, int process);

extern struct peer **net_peers[NET_LANES]; /* by process number; NULL: not connected yet */

static inline struct peer *net_peer(int lane, int process)
{
    struct peer *peer = net_peers[lane][process];

    return __builtin_expect(peer != 0, 1) ? peer : net_connect(lane, process);
}

/* Where this process can load and store what lies at `address` in the peer's memory (transport.h: map), NULL
 * when it cannot. The caller holds the peer's lane. */
static inline void *net_map(struct peer *peer, uint64_t address, size_t bytes)
{
    return peer->transport->map ? peer->transport->map(peer, address, bytes) : 0;
}

/* Copies from or to `address` in the peer's memory: by loads and stores where this process maps it, else by the
 * transport. False: neither reaches it. */
bool net_get(struct peer *peer, void *to, uint64_t address, size_t bytes);
bool net_put(struct peer *peer, const void *from, uint64_t address, size_t bytes);
/* Whether they would. */
bool net_can_get(struct peer *peer, uint64_t address, size_t bytes);
bool net_can_put(struct peer *peer, uint64_t address, size_t bytes);

/* Whether a message of this process to itself waits to be polled: what it sends itself now comes after it. */
bool net_self_waits(int lane);

/* The lane's next message of any transport; after true, net_release(&arrival) before its next net_poll. */
bool net_poll(int lane, struct arrival *arrival);
void net_release(const struct arrival *arrival);

#endif
