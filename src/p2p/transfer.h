/* transfer: one send or receive in flight, and the protocols that move it.
 *
 *   EAGER     the message itself; up to the row inkling_eager_limit
 *   RTS       "I have `bytes` at `address`"; the sender's buffer stays put until
 *   FIN       "I have taken it" (single copy: the receiver read the sender's memory, or its transport did,
 *             which reports READ to the receiver alone, see transport.h), or
 *   CTS       "send it to me" (the transport cannot read the sender's memory), followed by
 *   PUT       "it is in your buffer" (the sender can write to the receiver's memory), or
 *   DATA      as many as it takes, in order; their context names the receiver's request; or
 *   CTS_DUAL  "let us both copy it", see dual_copy.c; followed by FIN or
 *   FIN_DUAL  "I have copied the last of it".
 *   COPIED    nobody sends it: the transport has copied from or to exposed memory, see exposed.h
 *
 * PUT without RTS announces a message for a receive that was advertised to its sender: recv_advert.h.
 *
 * The sender can withdraw an RTS that nobody has answered, without a word to the receiver: claim.h.
 *
 * The RTS of items with gaps names a pipeline instead of an address (pack_pipeline.h), and has no answer.
 *
 * Synchronous sends always begin with RTS: FIN or CTS shows that the receive has begun. The wire names requests
 * by their handle, which the answer's receiver looks up: a stale one is detected, not followed. What arrives
 * need not make sense: a message that does not fit the state of its transfer, or comes from another peer, is
 * dropped (tests/fuzz holds p2p to that).
 *
 * Memory that only a device reaches (memory/kind.h) is packed by its sender, like items with gaps, and unpacked
 * by its receiver; or exported to it, see ipc_copy.h: then an export follows the RTS. Whether a buffer is such
 * memory is asked only where the communicator's kinds allow for it.
 *
 * Lock: all of it belongs to the holder of its lane, except that a finished request's status is its waiter's.
 */
#ifndef P2P_TRANSFER_H
#define P2P_TRANSFER_H

#include "base/copy.h"
#include "p2p/match/match.h"

#include <string.h>

enum message_kind {
    MESSAGE_EAGER = 1,
    MESSAGE_RTS,
    MESSAGE_LEFT, /* empty: its sender has left the collective, see lost.h; these three are matched */
    MESSAGE_FIN,
    MESSAGE_CTS,
    MESSAGE_DATA,
    MESSAGE_PUT,
    MESSAGE_CTS_DUAL,
    MESSAGE_FIN_DUAL,
    MESSAGE_READ,      /* context: handle of the receiver's request; never sent */
    MESSAGE_COPIED,    /* the same, of a copy of exposed.h */
    MESSAGE_DRAINED,   /* context: handle of the sender's request; never sent */
    MESSAGE_REVOKE,    /* its communicator is revoked: failure.h */
    MESSAGE_DEATH,     /* the process `tag` of this job is lost: lost.h */
    MESSAGE_AGREE,     /* accord.h */
    MESSAGE_FINALIZED, /* its sender ends in good order: lost.h */
    MESSAGE_KINDS
};

/* What tells messages apart (MPI-5.0 section 3.2.3). */
struct envelope {
    int peer, tag; /* peer: the rank of the destination or the source */
    struct comm *comm;
    enum plane plane;
};

/* What else happens when a request is done. Called once, with the lock of its lane or without. */
typedef void transfer_done_fn(struct request *r, void *context);

/* Lives in request->space. */
struct transfer {
    struct posted posted;  /* receive: its place in the matching space */
    struct comm *comm;     /* referenced until the request is released */
    unsigned char *buffer; /* send: packed, unless there is a pipeline */
    size_t bytes;          /* send: the message; receive: room in the buffer */
    size_t total;          /* how many of them are to be `moved` */
    union {
        const struct device *device; /* receive: what alone reaches the buffer; NULL: the host does */
        struct memory_region *mr;    /* send: the buffer, exposed; NULL: it is not */
    };
    void *context; /* of `on_done` */

    /* All from here on is 0 at first. It is aligned, so that no store of zeros crosses a cache line. */
    _Alignas(16) uint8_t lane; /* whose holder all of this belongs to */
    uint8_t plane;
    int fault;               /* receive: the device's first error; copy of exposed.h: an error */
    struct link under_way;   /* in one of its lane's lists: rts_sent, sending, receiving, piped; else 0 */
    struct peer *peer;       /* send: where to; receive: where from, once matched */
    struct datatype *layout; /* how its items lie in the buffer, referenced; NULL: as bytes, in one run */
    union {
        void *packed;                   /* send: the buffer, if it is a copy to be freed */
        struct any_lane_recv *any_lane; /* receive: while it is posted in several lanes */
    };
    transfer_done_fn *on_done; /* called when the request is done */
    size_t moved;              /* in DATA, or through the pipeline, so far */
    union {
        uint64_t partner;               /* handle of the other side's request: send: once it said CTS */
        struct pack_pipeline *pipeline; /* of a message that goes through one */
        struct claim *claim;            /* send: while the RTS stands; NULL: it has none */
    };
    uint8_t device_kind;       /* send: the buffer's device, its kind + 1; 0: the host reaches it */
    uint8_t advert;            /* receive: its slot in the table of adverts, + 1; 0: none */
    bool awaits_cts : 1;       /* send: waits for FIN or CTS */
    bool is_detached : 1;      /* send: cancelled, it is done for the program and goes on from a copy */
    bool is_draining : 1;      /* send: that, as soon as nothing of it is on its way out of the buffer */
    bool is_synchronous : 1;   /* send through a pipeline */
    bool awaits_data : 1;      /* receive: waits for DATA or PUT */
    bool awaits_read : 1;      /* receive: waits for its transport, which reads the sender's buffer */
    bool awaits_copy : 1;      /* copy of exposed.h: waits for its transport */
    bool awaits_dual_copy : 1; /* receive: waits for the sender's part of a dual copy */
    /* Written at every receive's start: as bits they would be read before, and wait for the zeros. */
    bool is_posted;
    bool is_exact;       /* receive: a shorter message is an error, see assert_check.h */
    bool is_single_copy; /* receive: no dual copy */
    uint8_t user_lane;   /* it is a user of match_of(comm) in this lane, + 1; 0: it holds comm by itself */
    _Atomic bool
        is_any_lane; /* receive: the lane may not be known yet; set under all locks, read by transfer_take_lanes */
};

_Static_assert(sizeof(struct transfer) <= REQUEST_SPACE, "a transfer fits into its request");

static inline struct transfer *transfer_of(struct request *r)
{
    return (struct transfer *)(void *)r->space;
}

static inline size_t transfer_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline struct lane *transfer_lane(const struct transfer *t)
{
    return &lanes[t->lane];
}

static inline struct request *transfer_request(struct transfer *t)
{
    return LIST_ENTRY(t, struct request, space);
}

extern struct request_ops transfer_ops; /* cancel_init adds `cancel` */

/* Where several threads take turns: keeps its communicator. */
void transfer_hold_comm(struct transfer *t);

/* A request for a send or receive on comm in a lane, active, with references for the user and for the
 * operation. */
static inline int transfer_new(enum request_kind kind, struct comm *comm, enum plane plane, struct lane *lane,
                               struct request **r)
{
    int error = request_take(kind, &transfer_ops, r);
    struct transfer *t;

    if (error)
        return error;
    t = transfer_of(*r);
    memset((char *)t + offsetof(struct transfer, lane), 0, sizeof *t - offsetof(struct transfer, lane));
    t->comm = comm;
    t->plane = (uint8_t)plane;
    t->lane = (uint8_t)lane_number(lane);
    if (__builtin_expect(lock_is_shared(), 0))
        transfer_hold_comm(t);
    else
        comm_ref(comm);
    (*r)->owner = &comm->object;
    (*r)->active = true;
    atomic_store_explicit(&(*r)->object.refs, 2, memory_order_relaxed); /* nobody else knows it yet */
    return MPI_SUCCESS;
}

/* The same for a send of `bytes` bytes at buf. */
static inline int transfer_new_send(const void *buf, size_t bytes, struct peer *peer, struct comm *comm,
                                    enum plane plane, struct request **r)
{
    int error = transfer_new(REQUEST_SEND, comm, plane, lane_of_peer(peer), r);

    if (error)
        return error;
    transfer_of(*r)->peer = peer;
    transfer_of(*r)->buffer = (unsigned char *)(uintptr_t)buf;
    transfer_of(*r)->bytes = bytes;
    transfer_of(*r)->mr = NULL;
    return MPI_SUCCESS;
}

/* Drops both references of a request whose operation could not begin; returns the error. */
static inline int transfer_abandon(struct request *r, int error)
{
    request_unref(r);
    request_unref(r);
    return error;
}

/* Calls `on_done` when r, which a procedure of p2p.h made, is done; at once if it is. Takes the lane's lock. */
void transfer_on_done(struct request *r, transfer_done_fn *on_done, void *context);
/* Ends the operation: it leaves its lane's list, the request is complete and the operation's reference
 * dropped. */
void transfer_finish(struct transfer *t, int error);

/* The head of a message of comm. */
static inline struct message transfer_message(const struct comm *comm, enum plane plane, int tag,
                                              enum message_kind kind, size_t length)
{
    return (struct message){.length = (uint32_t)length,
                            .kind = (uint8_t)kind,
                            .plane = (uint8_t)plane,
                            .context = comm->context,
                            .source = comm->rank,
                            .tag = tag};
}
/* Takes the lane of a transfer, all of its communicator's where it is not known yet. */
struct lane_set transfer_take_lanes(struct transfer *t);
/* Receive: takes it out of its matching space. */
void transfer_unpost(struct transfer *t);
/* Receive: where the message goes; `bytes` are those of the data of `count` items. */
void transfer_set_layout(struct transfer *t, MPI_Count count, struct datatype *type);
static inline void transfer_set_buffer(struct transfer *t, struct user_buffer to, size_t bytes)
{
    t->buffer = to.at;
    t->bytes = bytes;
    t->device = datatype_device(to.type, to.at, hint_buffer_kinds(&t->comm->hints));
    if (__builtin_expect(!to.type->dense || t->device, 0))
        transfer_set_layout(t, to.count, to.type);
}
/* The bytes of items that lie in one run which the host reaches; false: they do not. */
static inline bool transfer_find_run(struct user_buffer b, struct comm *comm, size_t *bytes)
{
    return b.type->dense && !datatype_device(b.type, b.at, hint_buffer_kinds(&comm->hints)) &&
           datatype_bytes(b.type, b.count, bytes) == MPI_SUCCESS;
}
/* Receive: takes bytes of the message, from byte `from` of it on, to their place. */
void transfer_unpack(struct transfer *t, size_t from, const void *payload, size_t bytes);
static inline void transfer_put(struct transfer *t, size_t from, const void *payload, size_t bytes)
{
    if (__builtin_expect(t->layout != NULL, 0))
        transfer_unpack(t, from, payload, bytes);
    else
        copy_bytes(t->buffer + from, payload, bytes);
}
/* The receive of this handle, if it is under way and its message is this peer's; else NULL. */
struct transfer *transfer_find_recv(uint64_t handle, const struct peer *from);

/* Sends or, when there is no room, queues. The payload must stay until `request` is completed by its departure; where that is NULL
 * a copy is queued. Returns an error only when memory is out. */
int packet_send(struct peer *peer, const struct message *message, const void *payload,
                struct request *request);
/* Sends the other side one of the messages of a rendezvous. */
int packet_send_control(struct transfer *t, enum message_kind kind, const void *payload, size_t length);
/* Queued packets; returns how many left. */
int packet_flush(struct lane *lane);
/* Whether a send on comm is queued as a whole. */
bool packet_is_queued(const struct lane *lane, const struct comm *comm);

/* The packet that carries a whole send, if it has not left, goes. */
bool packet_withdraw(const struct transfer *t);
/* The peer is lost: its packets end with this error. */
void packet_drop(struct peer *peer, int error);

/* A whole message that is small enough, if there is room for it right now. Takes the lane's lock. */
bool send_eager(const void *buf, size_t bytes, int dest, int tag, struct comm *comm, enum plane plane);
/* Lets MPI_Cancel end sends and receives, from p2p_open on. */
void cancel_init(void);

/* A message for a receive that matches it, just arrived; or kept, and gone then. */
void recv_begin(struct transfer *t, const struct message *message, const void *payload, struct peer *from);
void recv_begin_unexpected(struct transfer *t, struct unexpected_store *s, struct unexpected *u);
/* Counts a message that a receive has taken, while somebody watches; the caller holds the lane. */
void transfer_count_watched(struct comm *comm, enum plane plane, size_t bytes);
static inline void transfer_count(struct comm *comm, enum plane plane, size_t bytes)
{
    if (metric_watches_frequent())
        transfer_count_watched(comm, plane, bytes);
}
/* The status of a receive that got `sent` bytes for its room. Returns the error to finish with. */
int recv_set_status(struct transfer *t, const struct message *message, size_t sent);
/* An arrival of a whole message of this process to itself, which needs no transport as long as none that was
 * sent before waits in one. False: no memory to keep it. The caller holds the lane of `from`, which is this
 * process; comm is not spread. */
bool arrive_self(const struct message *m, const void *payload, struct peer *from, struct comm *comm);

/* Looks for a moment whether the next message that a receive of `bytes` bytes in one run would get comes: a whole one
 * of just that length. True: it is in `to`. False: the receive has to be posted. The caller holds the lane. */
bool arrive_soon(struct lane *lane, const struct envelope *e, void *to, size_t bytes);

/* Ends the sends of comm that no receive has taken; NULL: those of collectives of which a rank is lost. The caller holds lane 0, the
 * only one. */
void cancel_withdraw_sends(const struct comm *comm, int error);

void probe_init(void); /* MPI_MESSAGE_NO_PROC */
/* Takes a message that has been claimed out of the matching space. The caller holds its lane. */
int probe_take(struct comm *comm, struct unexpected_store *store, struct unexpected *u,
               struct matched **matched);

/* For MPI_Iprobe and MPI_Probe, and with `matched` for MPI_Improbe and MPI_Mprobe. */
int probe_once(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
               struct status *status);
int probe_wait(int source, int tag, struct comm *comm, struct matched **matched, struct status *status);

/* Poller: takes in everything that has arrived in this thread's lane, and sends what waits there; and in the
 * other lanes, all of them or now and then. */
int p2p_poll(bool all);

#endif
