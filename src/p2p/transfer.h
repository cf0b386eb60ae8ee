/* transfer: one send or receive in flight, and the protocols that move it.
 *
 *   EAGER   the message itself; up to the process row inkling_eager_limit
 *   OFFER   "I have `bytes` at `address`"; the sender's buffer stays put until
 *   FIN     "I have taken it" (single copy: the receiver read the sender's memory), or
 *   FETCH   "send it to me" (the transport cannot read the sender's memory), followed by
 *   PUT     "it is in your buffer" (the sender can write to the receiver's memory), or
 *   PIECE   as many as it takes, in order; their context names the receiver's request.
 *
 * An offer of items with gaps names a stage instead of an address (stage.h), and has no answer.
 *
 * Synchronous sends are always offered, so that FIN or FETCH tells that the receive has begun. Requests are
 * named on the wire by their handle, which the answer's receiver looks up: a stale one is found out, not
 * followed. What arrives need not make sense: a message that does not fit the state of its transfer, or comes
 * from another peer, is dropped (tests/fuzz holds p2p to that).
 *
 * Lock: all of it belongs to the holder of `engine`, except that a finished request's status is its waiter's.
 */
#ifndef P2P_TRANSFER_H
#define P2P_TRANSFER_H

#include "base/lock.h"
#include "p2p/match.h"

enum message_kind {
    MESSAGE_EAGER = 1,
    MESSAGE_OFFER,
    MESSAGE_FIN,
    MESSAGE_FETCH,
    MESSAGE_PIECE,
    MESSAGE_PUT
};

/* Payloads. */
struct offer {
    uint64_t bytes, address, sender; /* sender: handle of its request; 0: a stage lies at the address */
};

struct fin {
    uint64_t sender;
};

struct fetch {
    uint64_t sender, receiver; /* handles of their requests */
    uint64_t bytes;            /* how many the receiver takes */
    uint64_t address;          /* where it wants them; 0: they are not laid down as they come */
};

struct put {
    uint64_t receiver;
};

/* What else happens when a request is done. Called once, with the engine's lock. */
typedef void then_fn(struct request *r, void *context);

/* Lives in request->space. */
struct transfer {
    struct posted posted;    /* receive: its place in the matching space */
    struct link pushing;     /* in the list of sends that push pieces, or of transfers through stages */
    struct comm *comm;       /* referenced until the request is released */
    struct peer *peer;       /* send: where to; receive: where from, once matched */
    unsigned char *buffer;   /* send: packed, unless there is a stage */
    struct datatype *layout; /* how its items lie in the buffer, referenced; NULL: as bytes, in one run */
    struct stage *stage;     /* NULL: none */
    void *packed;            /* send: the buffer, if it is a copy to be freed */
    size_t bytes;            /* send: the message; receive: room in the buffer */
    size_t moved;            /* of the pieces, or through the stage, so far */
    size_t total;            /* how many bytes go that way */
    uint64_t partner;        /* send: handle of the receiver's request once it asked for pieces */
    uint8_t plane;
    bool is_posted;
    bool is_exact;       /* receive: a shorter message is an error, see promise.h */
    bool is_offered;     /* send: waits for FIN or FETCH */
    bool is_synchronous; /* send through a stage */
    bool is_fetching;    /* receive: waits for pieces */
    then_fn *then;       /* called when the request is done */
    void *context;
};

_Static_assert(sizeof(struct transfer) <= REQUEST_SPACE, "a transfer fits into its request");

extern struct lock p2p_engine;

static inline struct transfer *transfer_of(struct request *r)
{
    return (struct transfer *)(void *)r->space;
}

static inline struct request *request_of(struct transfer *t)
{
    return LIST_ENTRY(t, struct request, space);
}

/* A request for a send or receive on comm, active, with references for the user and for the operation. */
int transfer_new(enum request_kind kind, struct comm *comm, enum plane plane, struct request **r);
/* Calls `then` when r, which a procedure of p2p.h made, is done; at once if it is. Takes the engine's lock.
 */
void transfer_then(struct request *r, then_fn *then, void *context);
/* Ends the operation: the request is complete and the operation's reference dropped. */
void transfer_finish(struct transfer *t, int error);

/* Receive: where the message goes; `bytes` are those of the data of `count` items. */
void transfer_set_room(struct transfer *t, void *buf, MPI_Count count, struct datatype *type, size_t bytes);
/* Receive: takes bytes of the message, from byte `from` of it on, to their place. */
void transfer_put(struct transfer *t, size_t from, const void *payload, size_t bytes);
/* Receive: gets the whole message from the sender's memory, where this process maps it or the transport can
 * read it. False when neither. */
bool transfer_get(struct transfer *t, uint64_t address, size_t bytes);

/* Sends or, when there is no room, queues; a copy of a small payload is queued, a large one must stay until
 * `request` (may be NULL) is completed by its departure. Returns an error only when memory is out. */
int packet_send(struct peer *peer, const struct message *message, const void *payload,
                struct request *request);
/* Queued packets and pieces; returns how many left. */
int packet_flush(void);
bool packet_is_pending(void);

/* A whole message that is small enough, if there is room for it right now. Takes the engine's lock. */
bool send_eager(const void *buf, size_t bytes, int dest, int tag, struct comm *comm, enum plane plane);
/* Sender's answers. */
void send_on_fin(const struct arrival *a);
void send_on_fetch(const struct arrival *a);
int send_push_pieces(void); /* returns how many went */
bool send_is_pushing(void);
int send_count_offered(void); /* sends whose receiver has not taken the message yet */

/* Receiver's side: a message for a receive that matches it, just arrived or kept. */
void recv_begin(struct transfer *t, const struct message *message, const void *payload, struct peer *from);
void recv_on_piece(const struct arrival *a);
void recv_on_put(const struct arrival *a);

void matched_init(void); /* MPI_MESSAGE_NO_PROC */
/* What a probe tells of a message. */
void probe_describe(struct unexpected *u, struct status *s);

/* Poller: takes in everything that has arrived, pushes what waits. */
int p2p_poll(void);

#endif
