/* transport: the contract between the library and what moves bytes.
 *
 * A transport carries *messages*: a 24-byte header and at most limits.message_max bytes of payload, reliably
 * and in order between any two processes. Nothing in it blocks. It does not know communicators, matching or
 * protocols: it only carries the header that p2p fills in. tests/net runs one conformance suite over all of
 * them.
 *
 * Lanes. Threads get out of each other's way on *lanes* (p2p/lane.h): between two processes each lane is a
 * stream of messages of its own, which nothing orders with those of other lanes. There is a peer per process
 * and lane. Lane 0 is always there, the others after open_lanes.
 *
 * Ownership: what belongs to a lane, its peers included, is used under the lock of that lane, one thread at a
 * time; a transport guards with locks of its own what its lanes share.
 */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include "base/list.h"
#include "hint/hint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

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

enum {
    NET_PIECES = 256 /* of memory, at most, that one get fills */
};

struct transport;
struct advert_table;
struct window; /* memory that a peer may read; the transport's */

/* One process that this one talks with. Made on first use, never moved, freed by net_close. */
struct peer {
    int process;                       /* its process number */
    int lane;                          /* that it belongs to */
    const struct transport *transport; /* how it is reached */
    void *link;                        /* the transport's state for it */
    struct advert_table *own_adverts,
        *peer_adverts;   /* set by connect; see net/advert.h. NULL: the transport has none */
    struct link waiting; /* owner: p2p; operations that wait for room, in order */
    struct sent_counts
        *sent_counts; /* owner: p2p; plain memory, freed with the peer: see p2p/rndv/recv_advert.h */
    const char *lost; /* owner: p2p; why nothing comes from it or reaches it any more */
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

enum attention {
    AWAKE = 0,
    ASLEEP = 1,
    FENCE = 2 /* bit: only what is seen after a full fence counts; see net/shm/bell.h */
};

struct transport {
    const char *name;
    enum hint_id eager_limit; /* the setting that says what is sent without asking the receiver */

    /* Makes ready to be connected to. MPI_SUCCESS, or an error whose note says why it cannot be used here. */
    int (*open)(void);

    /* Ends use. Messages already sent stay deliverable to their receivers. */
    void (*close)(void);

    /* From now on processes of other jobs may be peers. NULL: it reaches none. Idempotent. That of ofi opens
     * it if need be, for those alone. */
    int (*admit)(void);

    /* Whether what was sent has left this process, so that it may end; asked until it has, with polls in
     * between. NULL: it has. */
    bool (*has_sent_all)(void);

    /* Whether this transport reaches the process, from what boot told; no communication. */
    bool (*reaches)(int process);

    /* Makes lanes 1 to NET_LANES - 1 ready to be used, once; NULL: there is only lane 0. */
    int (*open_lanes)(void);

    /* Fills in peer->link, for peer->lane. */
    int (*connect)(struct peer *peer);

    /* Of messages to this peer; constant. */
    const struct transport_limits *(*limits)(const struct peer *peer);

    /* Copies header and payload away; false when there is no room now: nothing was taken, try again after a
     * poll. message->length <= limits.message_max. Always false to a peer that is lost. */
    bool (*send)(struct peer *peer, const struct message *message, const void *payload);

    /* The lane's next message, in the order of each sender; false when there is none. Each true must be
     * followed by release() before the next poll(). */
    bool (*poll)(int lane, struct arrival *arrival);
    void (*release)(int lane);

    /* How many messages have been sent to the peer since the beginning, and how many of the peer's have been
     * released; in units of the transport's own, but the same on both sides. only where there are adverts. */
    uint64_t (*sent)(struct peer *peer);
    uint64_t (*taken)(struct peer *peer);

    /* Where this process can load and store what lies at `address` in the peer's memory; NULL when it cannot
     * (most memory), or where the transport has no such thing. Stays valid until the transport is closed;
     * what it shows after the peer has freed that memory is undefined, but never a fault. */
    void *(*map)(struct peer *peer, uint64_t address, size_t bytes);

    /* Copies from `address` on in the peer's memory into `pieces` pieces of this process's, which it uses up,
     * one after the other; or from `from` to it, in one go: NULL where the transport cannot. An error means
     * that it cannot with this peer; nothing may be assumed about the pieces' bytes. At most NET_PIECES;
     * none: tells whether it can. */
    int (*get)(struct peer *peer, struct iovec *to, int pieces, uint64_t address);
    int (*put)(struct peer *peer, const void *from, uint64_t address, size_t bytes);

    /* Where the network reads the peer's memory by itself, but not at once; NULL where it does not.
     * expose: from now on the peer may read `bytes` at `memory`, if it is told the key, never 0. NULL: it may
     * not. conceal: it may not any more.
     * read: begins to copy what the peer has exposed at `address` under this key to `to`. When that has come
     * to an end, `done` comes out of poll, as if the peer had sent it: its tag 0, or an MPI error class if
     * not all could be read; in any order with what else comes. False: nothing has begun. Nothing is written
     * to `to` any more after that, and after the arrival that tells that the peer is lost. */
    struct window *(*expose)(struct peer *peer, const void *memory, size_t bytes, uint64_t *key);
    void (*conceal)(struct window *window);
    bool (*read)(struct peer *peer, void *to, uint64_t address, uint64_t key, size_t bytes,
                 const struct message *done);

    /* Comes after a store to mapped memory that the peer, if it sleeps, waits for: wakes it. NULL where there
     * is no map. */
    void (*nudge)(struct peer *peer);
    /* The word that tells whether the peer has to be nudged, for who would do so often: load it, relaxed,
     * after that store. NULL: the peer is lost. */
    const _Atomic uint32_t *(*attention)(struct peer *peer);

    /* A cache line that this process and the peer both see, zero at first and theirs to use: one for what
     * the peer sends to this process (`incoming`), one for the other way. NULL: they share no memory. */
    void *(*line)(struct peer *peer, bool incoming);
};

extern const struct transport self_transport, shm_transport, ofi_transport;

#endif
