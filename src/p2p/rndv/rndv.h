/* rndv: rendezvous. Messages that are too large to travel eagerly, and synchronous ones. transfer.h lists what
 * the two sides send each other.
 *
 * The sender says RTS and waits. The receiver, once matched, asks each protocol in the order of the table in
 * protocols.c whether it fits the message. The first that fits and can start moves it. The last one, data.c, fits
 * every message.
 *
 *   pack_pipeline.c  items with gaps: sender and receiver work at once
 *   ipc_copy.c       memory of a device, copied by the device
 *   dual_copy.c      both sides copy at once
 *   read.c           the receiver reads the sender's memory; or its transport does (rndv_net_read_protocol)
 *   data.c           the sender sends the message through the transport's bounce buffers
 *   data.c            not the receiver's choice: the sender writes into the receiver's memory, in place of DATA,
 *                    or because the receive was advertised (recv_advert.h)
 *
 * Lock: that of the lane.
 */
#ifndef P2P_RNDV_RNDV_H
#define P2P_RNDV_RNDV_H

#include "memory/kind.h"
#include "p2p/transfer.h"

/* Payloads. */
struct rts {
    uint64_t bytes, address, sender; /* sender: handle of its request; 0: a pipeline lies at the address */
    uint64_t key; /* of the exposed buffer; between processes that share memory where the claim is (claim.h),
                     or, with a pipeline, what it holds; 0: none of these */
};

struct ipc_rts {
    struct rts rts;
    struct ipc_export exported;
};

struct fin {
    uint64_t sender;
};

struct cts {
    uint64_t sender, receiver; /* handles of their requests */
    uint64_t bytes;            /* how many the receiver takes */
    uint64_t address;          /* where it wants them; 0: they are not laid down as they come */
};

struct put {
    uint64_t receiver;
    uint64_t has_failed; /* 0: it is there; 1: the sender's device does not give it */
};

struct cts_dual {
    uint64_t sender, receiver;    /* handles of their requests */
    uint64_t bytes, address;      /* how many the receiver takes, and where to */
    uint64_t chunk;               /* bytes */
    uint32_t number, chunk_queue; /* of the dual copy; index of its queue: see dual_copy.c */
};

struct fin_dual {
    uint64_t receiver;
    uint64_t has_failed; /* 0: all is copied; 1: not, and the receiver must get it another way */
};

/* An RTS as its receiver sees it. */
struct rndv_rts {
    struct ipc_rts wire;
    bool has_export; /* the sender's memory is a device's; else only wire.rts is there */
};

struct rndv_protocol {
    /* Receiver: whether it is made for this message. */
    bool (*fits)(const struct transfer *t, const struct rndv_rts *in);
    /* Receiver: begins to move t->total bytes, and may end. False: it cannot, and nothing has been done. */
    bool (*start)(struct transfer *t, const struct rndv_rts *in);
    /* Either side: one of the protocol's messages has come; NULL: it has none. */
    void (*on_message)(const struct arrival *a);
};

extern const struct rndv_protocol pack_pipeline_protocol, ipc_copy_protocol, dual_copy_protocol,
    rndv_read_protocol, rndv_net_read_protocol, rndv_data_protocol, rndv_put_protocol,
    cancel_drained_protocol;

/* Receiver: an RTS has been matched; its length is that of struct rts or struct ipc_rts. */
void rndv_recv(struct transfer *t, const struct message *message, const void *payload);
/* Another message of a rendezvous; false: it is none. */
bool rndv_on_message(const struct arrival *a);

/* Sender: sends an RTS for the bytes of its buffer, which a transport may read. */
int rndv_send(struct transfer *t, int tag);
/* Sender: the same for what is already known; an export may follow the RTS. */
int rndv_send_rts(struct transfer *t, int tag, struct rts *rts, size_t length);
/* Sender: the send of this handle, if it waits for an answer of this peer. */
struct transfer *rndv_find_send(uint64_t handle, const struct peer *from);
/* Sender: the receiver has all that it wants. */
void rndv_finish_send(struct transfer *t);
/* Sender: the receiver is lost. */
void rndv_fail_send(struct transfer *t, int error);
/* Sender: the receiver's transport can no longer read the buffer. */
void rndv_conceal(struct transfer *t);
/* Sender: sends DATA of whatever waits for that, as far as there is room; returns how many went. */
int rndv_send_data(struct lane *lane);
/* Sender: writes t->total bytes into the receiver's memory where it is mapped, sends PUT, and ends. */
bool rndv_put(struct transfer *t, uint64_t address);

/* Receiver: it has the message: sends FIN, and ends. */
void rndv_send_fin(struct transfer *t);
/* Receiver: asks for the message by CTS. */
void rndv_send_cts(struct transfer *t);

#endif
