/* ofi: the transport between hosts, over libfabric: reliable datagrams (FI_EP_RDM).
 *
 * A message travels as one packet: struct wire and the payload (wire.h). Inkling matches messages itself, so
 * the provider needs FI_MSG only. Packets land in a few large buffers (rx.h) and leave from a few slots that
 * all peers share (tx.h). Little is kept per peer: struct ofi_peer. A provider with FI_RMA reads the buffers
 * of large messages, and may read and write windows (rma.h); without it messages travel in pieces.
 *
 * Connecting is lazy. net_open puts this process's address into the launcher's key-value space. A peer's
 * address is fetched on its first use. The launcher is asked nothing else.
 *
 * An idle process sleeps on a futex, as without this transport. A thread waits for the provider's descriptor
 * and wakes the futex (waker.h).
 *
 * Lock: the lock in ofi.c guards everything but the waker's own thread.
 */
#ifndef NET_OFI_OFI_H
#define NET_OFI_OFI_H

#include "net/ofi/fabric.h"
#include "net/ofi/wire.h"

enum {
    LOSS_SIZE = 120,
    PAYLOAD_MAX = 32 * 1024, /* larger messages are better read by the receiver, or wait for it */
    PACKET_MAX = PAYLOAD_MAX + sizeof(struct wire)
};

/* A link to a peer. */
struct ofi_peer {
    int process;
    fi_addr_t address;
    uint32_t outstanding;              /* slots of tx.c that its packets occupy */
    bool is_lost;                      /* every send fails */
    char why[LOSS_SIZE];               /* then: the reason */
    bool owes_bye;                     /* a packet was injected: nothing shows yet that it has left */
    uint64_t proof, first_proof;       /* of the next packet to it, and of the first */
    uint64_t expected, first_expected; /* the same of packets from it */
    uint64_t short_since; /* no descriptor has been free for a connection (crowd.h); 0: one was */
    bool is_guest; /* of another job, which may end at any time: nothing is injected, so no bye follows */
    struct {
        struct link link;    /* in the list of peers with copies that wait */
        struct link waiting; /* copies with parts left to post, in order */
        int parts;           /* under way */
        size_t bytes;        /* of these */
    } rma;                   /* rma.c's */
};

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
