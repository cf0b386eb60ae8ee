/* network: what the transports between hosts have in common.
 *
 * A message travels as one packet: struct wire and the payload (wire.h). What carries packets, libfabric for
 * example, is a `struct network`: a few functions, in a folder of its own. All else is here: the addresses that
 * processes tell each other, the proof of who has sent a packet (proof.h), lost peers and heartbeats (heartbeat.h),
 * sleep (waker.h), and peers of other jobs. At most one network is open in a process (net_open.c).
 *
 * Connecting is lazy. net_open puts this process's address into the launcher's key-value space. A peer's
 * address is fetched on its first use. The launcher is asked nothing else.
 *
 * Lock: one lock guards a network; its functions are called with it, but for open and close.
 */
#ifndef NET_NETWORK_NETWORK_H
#define NET_NETWORK_NETWORK_H

#include "net/network/wire.h"
#include "plain/adapter.h"

enum {
    LOSS_SIZE = 140
};

/* A link to a peer. The network's own struct begins with it. */
struct network_peer {
    int process;
    bool is_lost;                      /* every send fails */
    bool is_guest;                     /* of another job, which may end at any time */
    char why[LOSS_SIZE];               /* of a lost one: the reason */
    uint64_t proof, first_proof;       /* of the next packet to it, and of the first */
    uint64_t expected, first_expected; /* the same of packets from it */
};

/* A read or write of transport.h. */
struct network_copy {
    struct network_peer *peer;
    bool is_write;
    void *here;
    const struct exposed *there;
    uint64_t offset;
    size_t bytes;
    const struct message *done;
};

/* What carries packets. Those that may be NULL say so. */
struct network {
    const struct transport *transport; /* its entry in the list of transports */
    size_t peer_size;                  /* of its struct for a peer */
    struct transport_limits limits;

    /* Fills in the provider, the bytes and auth of this process's address. An error: the caller closes it. */
    int (*open)(struct wire_address *mine);
    void (*close)(void);
    /* A descriptor that is readable when something may have arrived; -1: it has none. */
    int (*wait_fd)(void);
    /* Whether sleeping on that is safe now: nothing has arrived. */
    bool (*is_quiet)(void);

    int (*connect)(struct network_peer *peer, const struct wire_address *address);
    /* The peer is lost, or the network is being closed: its connections end, copies with it too. */
    void (*lose)(struct network_peer *peer);
    /* Ends the connections that others have made and that have carried no byte for so many milliseconds; returns how many.
     * `most`: descriptors are below. NULL: it cannot tell such connections. */
    int (*end_silent)(unsigned ms, int most);

    /* As in transport.h; counts peer->proof up. */
    bool (*send)(struct network_peer *to, const struct wire *head, const void *payload);
    /* The payload of the next packet, whose head is filled in and valid; NULL: there is none. Then release, before the next. */
    const void *(*receive)(struct wire *head);
    void (*release)(void);
    /* A packet of kind WIRE_CONTROL has come from this peer. NULL: there are none. */
    void (*control)(struct network_peer *from, const struct wire *head, const void *payload);
    bool (*has_sent_all)(void);

    /* As in transport.h; begin: read or write. */
    struct memory_region *(*expose)(const void *memory, size_t bytes, enum exposure exposure,
                                    struct exposed *exposed);
    void (*conceal)(struct memory_region *mr);
    bool (*drain)(struct network_peer *peer, struct memory_region *mr, const struct message *done);
    bool (*begin)(const struct network_copy *copy);
    /* A finished copy, or what has drained: its message, and the process that it was about. False: none. */
    bool (*take_copy)(struct message *done, int *process);
};

/* Opens it for the processes of this job. */
int network_open(const struct network *network);
/* Opens it, if need be, for processes of other jobs, which are told of the address. */
int network_admit(const struct network *network);

/* For networks: the link to a process; NULL: there is none. The head of a packet of this process. */
struct network_peer *network_link_of(int process);
struct wire network_head(enum wire_kind kind, const struct message *message);
/* Says, on one rank of a host, that its device is not used and what is missing; not where another network is the device's, and
 * was not chosen for a reason that is said already (net_open.c). */
void network_warn_of_tcp(const struct fabric_port *device, const char *missing);
/* Says once that a packet was dropped. */
void network_drop(const char *why);

/* The members of a network's struct transport. */
void network_close(void);
bool network_has_sent_all(void);
bool network_reaches(int process);
int network_connect(struct peer *peer);
const struct transport_limits *network_limits(const struct peer *peer);
bool network_send(struct peer *peer, const struct message *message, const void *payload);
bool network_poll(int lane, struct arrival *arrival);
void network_release(int lane);
struct memory_region *network_expose(const void *memory, size_t bytes, enum exposure exposure,
                                     struct exposed *exposed);
void network_conceal(struct memory_region *mr);
bool network_drain(struct peer *peer, struct memory_region *mr, const struct message *done);
void network_give_up(struct peer *peer, const char *why);
bool network_read(struct peer *peer, void *to, const struct exposed *from, uint64_t offset, size_t bytes,
                  const struct message *done);
bool network_write(struct peer *peer, const void *from, const struct exposed *to, uint64_t offset,
                   size_t bytes, const struct message *done);

#endif
