/* lane: what a thread needs to send, match and take in messages, so that threads on different lanes do not
 * meet.
 *
 * A lane has its own lock, rings and peers (net/transport.h), matching spaces (match.h) and lists of what is
 * under way. Every message of a communicator goes through the communicator's lane, which all its processes
 * know (comm->lane). A process below MPI_THREAD_MULTIPLE has lane 0 only.
 *
 * Locks. A lane's lock guards all of the lane, its peers, the transfers that go through it, and their
 * requests until they are done. Who holds several lanes has taken them in ascending order. The locks of
 * smaller things (pools, the table of communicators, buffers, a way to a process) are taken inside, and
 * nothing is taken inside of those.
 */
#ifndef P2P_LANE_H
#define P2P_LANE_H

#include "base/list.h"
#include "base/lock.h"
#include "comm/comm.h"
#include "net/net.h"

#include <stdatomic.h>

struct match;
struct own_stage;

struct lane {
    _Alignas(128) struct lock lock; /* guards the rest; 128: two lines, which processors fetch together */
    int number;

    struct link orphans;            /* match.c: messages of communicators that are not there yet */
    struct match *last_found;       /* of the last match_find: most messages are of one communicator */
    _Atomic(struct match *) buried; /* those whose communicator is gone; any thread adds */

    struct peer **stuck; /* packet.c: with packets that wait for room; few at a time */
    int stuck_count, stuck_capacity;

    struct link pushing; /* send.c: those that were asked for pieces */
    int offered;         /* sends that wait for FIN or are pushing */

    struct link streams;      /* stage.c: sends and receives under way through stages */
    int streaming;            /* sends of these */
    struct own_stage *stages; /* NULL until first used */

    unsigned char *part; /* transfer.c: room to unpack from; NULL until first used */
    uint32_t epoch;      /* announce.c: counts changes of hints */
};

extern struct lane lanes[NET_LANES];

/* Once per process. */
void lanes_init(void);

static inline struct lane *lane_of_peer(const struct peer *peer)
{
    return &lanes[peer->lane];
}

/* The lane that the messages of comm take. */
static inline struct lane *lane_of(const struct comm *comm)
{
    return &lanes[comm->lane];
}

static inline void lane_take(struct lane *lane)
{
    lock_take(&lane->lock);
}

static inline void lane_release(struct lane *lane)
{
    lock_release(&lane->lock);
}

/* For who looks at what all lanes have, and holds the first. */
void lanes_take_all_but_first(void);
void lanes_release_all_but_first(void);

#endif
