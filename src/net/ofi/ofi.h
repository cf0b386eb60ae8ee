/* ofi: the network over libfabric (net/network/network.h): reliable datagrams (FI_EP_RDM).
 *
 * Inkling matches messages itself, so the provider needs FI_MSG only. Packets land in a few large buffers (rx.h) and
 * leave from a few slots that all peers share (tx.h). Little is kept per peer: struct ofi_peer. A provider with FI_RMA
 * reads the buffers of large messages, and may read and write windows (rma.h); without it messages travel in pieces.
 */
#ifndef NET_OFI_OFI_H
#define NET_OFI_OFI_H

#include "net/network/network.h"
#include "net/ofi/fabric.h"

enum {
    PAYLOAD_MAX = 32 * 1024, /* larger messages are better read by the receiver, or wait for it */
    PACKET_MAX = PAYLOAD_MAX + sizeof(struct wire)
};

/* A link to a peer. */
struct ofi_peer {
    struct network_peer base; /* nothing is injected for guests, so no bye follows */
    fi_addr_t address;
    uint32_t outstanding; /* slots of tx.c that its packets occupy */
    bool owes_bye;        /* a packet was injected: nothing shows yet that it has left */
    uint64_t short_since; /* no descriptor has been free for a connection; 0: one was */
    struct {
        struct link link;    /* in the list of peers with copies that wait */
        struct link waiting; /* copies with parts left to post, in order */
        int parts;           /* under way */
        size_t bytes;        /* of these */
    } rma;                   /* rma.c's */
};

extern const struct transport ofi_transport;

static inline struct ofi_peer *ofi_peer_of(struct network_peer *peer)
{
    return (struct ofi_peer *)(void *)peer; /* its first member */
}

/* What libfabric returns when an operation is complete. */
struct operation {
    struct fi_context2 context; /* libfabric's own */
    enum {
        OPERATION_SEND,
        OPERATION_RECEIVE,
        OPERATION_RMA
    } kind;
};

static inline struct operation *ofi_operation_of(void *context)
{
    return context; /* the context is its first member */
}

#endif
