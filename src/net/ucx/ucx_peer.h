/* ucx_peer: a peer of the network over UCX (net/network/network.h), for fabrics whose sites run it: InfiniBand and RoCE, and tcp.
 *
 * A packet is one active message of UCX, sent eagerly from a slot (packets.h). Large messages are read: the reader asks
 * for them by a control packet, and the owner of the memory answers by an active message with UCX's rendezvous, which
 * knows what each device does best (reads.h). So no key of UCX leaves a process for that, and what is asked for is
 * proved as every packet is. Windows are put and got by UCX where a device does it (direct.h). UCX reports a lost connection
 * by a handler of the endpoint.
 */
#ifndef NET_UCX_UCX_PEER_H
#define NET_UCX_UCX_PEER_H

#include "net/network/network.h"
#include "net/ucx/ucx_library.h"

enum {
    UCX_PAYLOAD_MAX = 64 * 1024,
    UCX_PACKET_MAX = UCX_PAYLOAD_MAX + sizeof(struct wire)
};

/* Identifiers of active messages. */
enum {
    AM_PACKET,
    AM_ANSWER /* reads.h */
};

/* direct.c's: the peer's windows. */
struct direct {
    struct link link, unflushed_link; /* in lists of peers */
    struct link keys;                 /* of its memory, that this process has asked for */
    struct link unflushed,
        flushing; /* writes that may not be in its memory yet; the second: the flush that is under way counts */
};

/* A link to a peer. */
struct ucx_peer {
    struct network_peer base;
    ucp_ep_h ep;          /* NULL: closed */
    uint32_t outstanding; /* slots of packets.c that its packets occupy */
    int under_way;        /* operations of UCX that use the program's memory */
    struct direct direct;
};

extern ucp_context_h ucx_context;
extern ucp_worker_h ucx_worker; /* NULL: closed */

static inline struct ucx_peer *ucx_peer_of(struct network_peer *peer)
{
    return (struct ucx_peer *)(void *)peer; /* its first member */
}

/* Operations with this peer fail: it is lost. */
void ucx_fail_peer(const struct ucx_peer *peer, ucs_status_t status);

#endif
