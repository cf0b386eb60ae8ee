/* transport: the contract between the library and what moves bytes.
 *
 * A transport carries *messages*: a 24-byte header and at most limits.message_max bytes of payload. It
 * delivers them reliably, and in order between two processes. None of its functions blocks. It knows no
 * communicators, matching or protocols: it only carries the header that p2p fills in. tests/net runs one
 * conformance suite over all transports.
 *
 * Lanes (p2p/lane.h) let threads communicate without contention. Between two processes each lane is an
 * ordered stream of messages of its own; messages of different lanes have no order. There is a peer per
 * process and lane. Lane 0 always exists, the others after open_lanes.
 *
 * Locks: a lane's state, its peers included, is used under the lock of that lane, by one thread at a time. A
 * transport guards what its lanes share with locks of its own.
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
    NET_PIECES = 256 /* most pieces of memory, on either side, of one copy */
};

struct transport;
struct advert_table;
struct memory_region; /* memory exposed to peers, as libfabric calls it; defined by the transport */

/* What memory is exposed for. */
enum exposure {
    EXPOSED_MESSAGE, /* peers read it, where that spares a large message copies */
    EXPOSED_WINDOW   /* peers read and write it, where the row inkling_win_rma lets the network do that */
};

/* Exposed memory as its owner describes it to others. */
struct exposed {
    uint64_t address; /* where it begins, in its owner's memory */
    uint64_t key;     /* never 0 */
    uint64_t exposure;
};

/* A process that this one communicates with, in one lane. Made on first use, never moved, freed by
 * net_close. */
struct peer {
    int process;                                     /* its process number */
    int lane;                                        /* that it belongs to */
    const struct transport *transport;               /* how it is reached */
    size_t message_max;                              /* of its limits; bytes */
    void *link;                                      /* the transport's state for it */
    struct advert_table *own_adverts, *peer_adverts; /* set by connect; NULL: the transport has none */
    struct link waiting;                             /* owner: p2p; operations that wait for room, in order */
    struct sent_counts *sent_counts;                 /* owner: p2p; plain memory, freed with the peer */
    const char *lost;   /* owner: p2p; why nothing comes from it or reaches it any more */
    bool has_finalized; /* owner: p2p; it has said so: lost_tell_finalized */
};

/* A received message, or the loss of a peer. Valid until the transport's next release(). */
struct arrival {
    const struct message *message; /* NULL: the peer is lost, which is reported once; the payload is then the
                                    * reason, a text that stays valid */
    const void *payload;
    struct peer *from;
};

struct transport_limits {
    size_t message_max;  /* largest payload of one message, bytes */
    size_t message_best; /* best payload of a piece of a large transfer, bytes */
};

enum attention {
    AWAKE = 0,
    ASLEEP = 1,
    FENCE = 2 /* bit: senders issue a full fence before they look; see net/shm/bell.h */
};

/* Which processes a transport serves. */
enum transport_reach {
    REACH_SELF,   /* this process, in every job */
    REACH_HOST,   /* processes of this host: inkling_transport auto and the transport's name open it */
    REACH_NETWORK /* processes of any host and job: auto opens one such where the job spans hosts */
};

/* open, close, reaches, connect, limits, send, poll and release are never NULL. */
struct transport {
    const char *name; /* also the value of inkling_transport that chooses it */
    enum transport_reach reach;
    enum hint_id eager_limit; /* the row with the transport's eager limit */

    /* Why it cannot be used here: the build has no part of it, or the machine not its library. NULL: it lacks nothing.
     * The member is NULL where it never does. */
    const char *(*lacks)(void);

    /* Makes the transport ready for connections. An error's note says why it cannot be used here. */
    int (*open)(void);

    /* Ends its use. Messages already sent can still be received. */
    void (*close)(void);

    /* Lets processes of other jobs be peers from now on. NULL: the transport reaches none; not for a network. Idempotent. A
     * network's opens the transport if need be, for those processes alone. */
    int (*admit)(void);

    /* Whether all that was sent has left this process, so that it may end. The caller polls and asks again
     * until it has. NULL: always true. */
    bool (*has_sent_all)(void);

    /* Whether this transport reaches the process, as far as boot's data say; no communication. */
    bool (*reaches)(int process);

    /* Makes lanes 1 to NET_LANES - 1 ready, once. NULL: there is only lane 0. */
    int (*open_lanes)(void);

    /* Fills in peer->link, for peer->lane. */
    int (*connect)(struct peer *peer);

    /* Limits of messages to this peer; constant. */
    const struct transport_limits *(*limits)(const struct peer *peer);

    /* Copies header and payload. False: there is no room now and nothing was copied; try again after a poll.
     * message->length <= limits.message_max. Always false for a lost peer. */
    bool (*send)(struct peer *peer, const struct message *message, const void *payload);

    /* The lane's next message; those of one sender come in order. False: there is none. After true, the
     * caller calls release() before the next poll(). */
    bool (*poll)(int lane, struct arrival *arrival);
    void (*release)(int lane);

    /* How many messages have been sent to the peer since the beginning, and how many of the peer's have been
     * released. The unit is the transport's own, the same on both sides. Only where there are adverts. */
    uint64_t (*sent)(struct peer *peer);
    uint64_t (*taken)(struct peer *peer);

    /* The address at which this process can load and store what lies at `address` in the peer's memory. NULL:
     * it cannot (most memory), or the transport shares no memory. Valid until the transport is closed or the
     * peer is lost and no caller holds its memory. After the peer has freed the memory its contents are undefined,
     * but an access never faults. */
    void *(*map)(struct peer *peer, uint64_t address, size_t bytes);
    /* One more (1) or one less (-1) holds what map gives of this peer. NULL: the transport has no map. */
    void (*hold)(struct peer *peer, int change);

    /* Copies between pieces of this process's memory and of the peer's, one after the other, with as many bytes on
     * both sides; is_put: to the peer. Modifies both lists, of at most NET_PIECES. With 0 pieces it only says whether it
     * works, for all memory and in both directions: one who has another way may try without. NULL: the transport cannot.
     * An error: it cannot with this peer, or not this memory, and the contents of the destination are
     * undefined; MPI_ERR_PROC_ABORTED: the peer has ended. */
    int (*copy)(struct peer *peer, bool is_put, struct iovec *here, int pieces, struct iovec *there,
                int pieces_there);

    /* Others have lost the peer: it will be reported as lost, for this reason, which is copied. NULL: they learn of losses as this
     * process does. */
    void (*give_up)(struct peer *peer, const char *why);

    /* For networks that read and write a peer's memory by themselves, asynchronously; NULL elsewhere.
     * expose: lets all peers of this transport access `bytes` at `memory`, given the address and the key that it fills
     * in. NULL: it cannot, or should not for this purpose.
     * conceal: ends that.
     * drain: ends new accesses, and returns whether some of the memory is on its way to the peer out of where it lies. Then poll returns
     * `done` as if the peer had sent it, once all has left, unless it is concealed before. NULL: what is concealed is not read any more.
     * read, write: begin to copy `bytes` bytes from `offset` on of what the peer has exposed to `to`, or there from
     * `from`. False: nothing has begun. At the end poll returns `done` as if the peer had sent it, in any order with
     * other messages. Its tag is 0, or an MPI error class if not all could be copied; or the loss of the peer comes instead.
     * After 0 what was written lies in the peer's memory, before every message that a process sends once it knows of that.
     * Nothing is written to `to` nor read at `from` after that, nor after the arrival that reports the loss of the peer. */
    struct memory_region *(*expose)(const void *memory, size_t bytes, enum exposure exposure,
                                    struct exposed *exposed);
    void (*conceal)(struct memory_region *mr);
    bool (*drain)(struct peer *peer, struct memory_region *mr, const struct message *done);
    bool (*read)(struct peer *peer, void *to, const struct exposed *from, uint64_t offset, size_t bytes,
                 const struct message *done);
    bool (*write)(struct peer *peer, const void *from, const struct exposed *to, uint64_t offset,
                  size_t bytes, const struct message *done);

    /* Wakes the peer if it sleeps. Called after a store to mapped memory that the peer waits for. NULL: the
     * transport has no map. */
    void (*nudge)(struct peer *peer);
    /* The word that says whether the peer needs a nudge, for callers that would nudge often: load it,
     * relaxed, after that store. NULL: the peer is lost. Valid as long as what map gives. */
    const _Atomic uint32_t *(*attention)(struct peer *peer);

    /* A cache line that this process and the peer share, zero at first. `incoming`: the line for what the
     * peer sends to this process; else the line for the other direction. NULL: they share no memory. */
    void *(*line)(struct peer *peer, bool incoming);
};

extern const struct transport self_transport, shm_transport;

#endif
