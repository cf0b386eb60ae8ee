/* net: peers, and the transports that reach them.
 *
 * net_peer(process) is a table lookup; the first use of a process picks the first transport that reaches it,
 * in the order self, shm, ofi. Which are opened: the row inkling_transport. A peer, once made, keeps its
 * transport.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include "net/transport.h"

/* Opens the transports. Called once by world_init, after boot_init. */
int net_open(void);
void net_close(void);

/* Connects to a process on its first use; use net_peer. NULL with a note when nothing reaches it. */
struct peer *net_connect(int process);

extern struct peer **net_peers; /* by process number; NULL: not connected yet */

static inline struct peer *net_peer(int process)
{
    struct peer *peer = net_peers[process];

    return __builtin_expect(peer != 0, 1) ? peer : net_connect(process);
}

/* The next message of any transport; after true, net_release(&arrival) before the next net_poll. */
bool net_poll(struct arrival *arrival);
void net_release(const struct arrival *arrival);

#endif
