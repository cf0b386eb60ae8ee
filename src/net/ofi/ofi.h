/* ofi: the transport between hosts, over libfabric: reliable datagrams (FI_EP_RDM).
 *
 * A message travels as one packet: struct wire and the payload (wire.h). Matching stays ours, so only FI_MSG
 * is asked of the provider: packets land in a few large buffers (arrivals.h), and leave from a few slots that
 * all peers share (departures.h). Nothing is kept per peer but an address, a count and two flags. A provider
 * that has FI_RMA reads the buffers of large messages (rma.h); else they go in pieces.
 *
 * Connecting is lazy. net_open puts the own address into the launcher's key-value space; that of a peer is
 * fetched when it is first used. The launcher is asked nothing else.
 *
 * An idle process sleeps where it would without us, on a futex; a thread that waits for the provider's
 * descriptor wakes it (waker.h).
 *
 * Lock: all of it belongs to the holder of the lock in ofi.c, but for the waker's own thread.
 */
#ifndef NET_OFI_OFI_H
#define NET_OFI_OFI_H

#include "net/ofi/fabric.h"
#include "net/ofi/wire.h"

enum {
    LOSS_SIZE = 120,
    PAYLOAD_MAX = 32 * 1024, /* larger messages had better be read, or wait for their receiver */
    PACKET_MAX = PAYLOAD_MAX + sizeof(struct wire)
};

/* The way to a peer. */
struct ofi_peer {
    int process;
    fi_addr_t address;
    uint32_t outstanding; /* slots that its packets occupy */
    bool is_lost;         /* every send fails */
    char why[LOSS_SIZE];  /* then: the reason */
    bool owes_bye;        /* something was injected: nothing tells yet that it has left */
    bool is_guest; /* of another job, which may end at any time: nothing is injected, so no bye follows */
};

/* What libfabric hands back when an operation is complete. */
struct operation {
    struct fi_context2 context; /* libfabric's own */
    enum {
        OPERATION_SEND,
        OPERATION_RECEIVE,
        OPERATION_READ
    } kind;
};

static inline struct operation *ofi_operation_of(void *context)
{
    return context; /* its first member */
}

#endif
