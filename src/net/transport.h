/* transport: the contract between the library and what moves bytes.
 *
 * A transport carries *messages*: a 24-byte header and at most limits.message_max bytes of payload, reliably
 * and in order between any two processes. Nothing in it blocks. It does not know communicators, matching or
 * protocols: it only carries the header that p2p fills in. tests/net runs one conformance suite over all of
 * them.
 *
 * Ownership: a transport's functions are called under the p2p engine's lock, one thread at a time.
 */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include "base/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The header of every message, as it lies in memory and on the wire (host byte order, 24 bytes). */
struct message {
    uint32_t length;   /* payload bytes that follow */
    uint8_t kind;      /* p2p's enum message_kind, never 0 */
    uint8_t plane;     /* enum plane: which matching space of the communicator */
    uint16_t reserved; /* 0 */
    uint64_t context;
    int32_t source; /* rank of the sender in the communicator (its local group) */
    int32_t tag;
};

struct transport;
struct board;

/* One process that this one talks with. Made on first use, never moved, freed by net_close. */
struct peer {
    int process;                       /* its process number */
    const struct transport *transport; /* how it is reached */
    void *link;                        /* the transport's state for it */
    struct board *mine, *theirs;       /* set by connect; see net/board.h. NULL: the transport has none */
    struct link waiting;               /* owner: p2p; operations that wait for room, in order */
    struct notes *notes;               /* owner: p2p; plain memory, freed with the peer: see p2p/announce.h */
    const char *lost;                  /* owner: p2p; why nothing comes from it or reaches it any more */
};

/* What arrived. Valid until the transport's next release(). */
struct arrival {
    const struct message *message; /* NULL: the peer is lost, which is told once; the payload is the reason,
                                    a text that stays */
    const void *payload;
    struct peer *from;
};

struct transport_limits {
    size_t message_max;  /* largest payload of one message, bytes */
    size_t message_best; /* payload of the pieces of a large transfer, bytes */
};

struct transport {
    const char *name;

    /* Makes ready to be connected to. MPI_SUCCESS, or an error whose note says why it cannot be used here. */
    int (*open)(void);

    /* Ends use. Messages already sent stay deliverable to their receivers. */
    void (*close)(void);

    /* From now on processes of other jobs may be peers. NULL: it reaches none. Idempotent. */
    int (*admit)(void);

    /* Waits until what was sent has left this process, so that it may end; NULL: it has. */
    void (*flush)(void);

    /* Whether this transport reaches the process, from what boot told; no communication. */
    bool (*reaches)(int process);

    /* Fills in peer->link. */
    int (*connect)(struct peer *peer);

    /* Of messages to this peer; constant. */
    const struct transport_limits *(*limits)(const struct peer *peer);

    /* Copies header and payload away; false when there is no room now: nothing was taken, try again after a
     * poll. message->length <= limits.message_max. Always false to a peer that is lost. */
    bool (*send)(struct peer *peer, const struct message *message, const void *payload);

    /* The next message, in the order of each sender; false when there is none. Each true must be followed by
     * release() before the next poll(). */
    bool (*poll)(struct arrival *arrival);
    void (*release)(void);

    /* How many messages have been sent to the peer since the beginning, and how many of the peer's have been
     * released; in units of the transport's own, but the same on both sides. Only where there are boards. */
    uint64_t (*sent)(struct peer *peer);
    uint64_t (*taken)(struct peer *peer);

    /* Where this process can load and store what lies at `address` in the peer's memory; NULL when it cannot
     * (most memory), or where the transport has no such thing. Stays valid until the transport is closed;
     * what it shows after the peer has freed that memory is undefined, but never a fault. */
    void *(*map)(struct peer *peer, uint64_t address, size_t bytes);

    /* Copies bytes from `address` in the peer's memory to `to`, or from `from` to it, in one go: NULL where
     * the transport cannot. An error means that it cannot with this peer; nothing may be assumed about `to`.
     */
    int (*get)(struct peer *peer, void *to, uint64_t address, size_t bytes);
    int (*put)(struct peer *peer, const void *from, uint64_t address, size_t bytes);

    /* Comes after a store to mapped memory that the peer, if it sleeps, waits for: wakes it. NULL where there
     * is no map. */
    void (*nudge)(struct peer *peer);

    /* A cache line that this process and the peer both see, zero at first and theirs to use: one for what
     * the peer sends to this process (`incoming`), one for the other way. NULL: they share no memory. */
    void *(*line)(struct peer *peer, bool incoming);
};

extern const struct transport self_transport, shm_transport, ofi_transport;

#endif
