/* lane: what a thread needs to send, match and take in messages, so that threads on different lanes do not meet.
 *
 * A lane has its own lock, rings and peers (net/transport.h), matching spaces (match.h) and lists of what is
 * under way. Every message of a communicator goes through the communicator's lane, which all its processes know
 * (comm->lane). A process below MPI_THREAD_MULTIPLE has lane 0 only.
 *
 * Spreading. Where all processes of a communicator asserted mpi_assert_allow_overtaking when it was made, its
 * point-to-point messages are spread over lanes 0 to comm->spread - 1 by their tags. So threads with different
 * tags do not meet. A receive or probe of MPI_ANY_TAG looks into all of these lanes (any_lane.h). When a process
 * takes the assertion back, all new messages take the communicator's own lane. Every receive looks into all lanes
 * from then on, since earlier messages may still come.
 *
 * Locks. A lane's lock guards all of the lane, its peers, the transfers that go through it, and their requests
 * until they are done. A thread that holds several lanes has taken them in ascending order. The locks of smaller
 * things (pools, the table of communicators, buffers, a way to a process) are taken inside, and nothing is taken
 * inside of those.
 */
#ifndef P2P_LANE_H
#define P2P_LANE_H

#include "base/list.h"
#include "base/lock.h"
#include "comm/comm.h"
#include "net/net.h"
#include "p2p/p2p.h"

#include <stdatomic.h>

struct match;
struct own_pipeline;
struct claim;

enum {
    LANE_ORPHAN_BYTES = 256 << 20 /* such messages are few: the members are about to make the communicator */
};

struct lane {
    _Alignas(128) struct lock lock; /* guards the rest; 128: two lines, which processors fetch together */
    struct link matches;            /* match.c: matching state of communicators */
    struct link claimed;            /* any_lane.c: receives whose other entries are still to be taken back */

    struct link orphans;             /* match.c: messages of communicators that are not there yet */
    size_t orphan_bytes;             /* with their headers; at most LANE_ORPHAN_BYTES */
    struct match *last_found;        /* of the last match_find: most messages are of one communicator */
    _Atomic(struct match *) retired; /* those whose communicator is gone; any thread adds */

    struct peer **stuck; /* packet.c: with packets that wait for room; few at a time */
    int stuck_count, stuck_capacity;

    struct link rts_sent;  /* rndv.c: sends that wait for an answer */
    struct link sending;   /* those that send DATA */
    struct link receiving; /* protocols.c: receives whose message is on its way after RTS; exposed.c */

    struct link piped;              /* pack_pipeline.c: sends and receives under way through pipelines */
    int piped_sends;                /* sends of these */
    struct own_pipeline *pipelines; /* NULL until first used */

    struct claim *claims; /* claim.c: those that are free */

    unsigned char *unpack_buffer; /* rndv/read.c; NULL until first used */
    uint32_t epoch;               /* recv_advert.c: counts changes of hints */
};

extern struct lane lanes[NET_LANES];

/* Once per process. */
void lane_init(void);

/* How many lanes a new communicator may use, as far as this process can tell. */
int lane_count_offered(const struct comm *comm);
/* Gives a new communicator its lane; all its processes do, with the same context and the same number of
 * lanes, which each of them has offered. */
void lane_assign(struct comm *comm, uint64_t context, int count, bool overtaking);

/* Why the messages of comm are not spread, in a few words; NULL: they are. */
const char *lane_spread_absence(const struct comm *comm);

/* Those that some communicator uses, as bits. */
extern _Atomic uint32_t lane_used; /* release when one is added, acquire by those who poll */
enum {
    LANE_EACH_IN_TURN = NET_LANES /* in lane_of_thread: all that are in use, in turn */
};
/* The lane that this thread used last, which it polls. */
extern _Thread_local int lane_of_thread __attribute__((tls_model("initial-exec")));

static inline struct lane *lane_of_peer(const struct peer *peer)
{
    return &lanes[peer->lane];
}

static inline int lane_number(const struct lane *lane)
{
    return (int)(lane - lanes);
}

/* A message of comm was sent in this lane, which the caller holds. `messages` is METRIC_EAGER_MESSAGES ...; the
 * metric behind it counts bytes, and comm counts both in the same order. */
static inline void lane_count_sent(struct lane *lane, struct comm *comm, enum plane plane,
                                   enum metric messages, size_t bytes)
{
    _Atomic uint64_t *word = metric_lane[lane_number(lane)].at + messages;
    enum metric of_comm = (enum metric)(METRIC_COMM_EAGER_MESSAGES + messages - METRIC_EAGER_MESSAGES);

    if (plane != PLANE_P2P || !object_handle(&comm->object)) /* the library's own */
        return;
    metric_add(word, 1);
    metric_add(word + 1, bytes);
    comm_count(comm, of_comm, 1);
    comm_count(comm, (enum metric)(of_comm + 1), bytes);
}

/* The same of a small message, while somebody watches. */
static inline void lane_count_eager(struct lane *lane, struct comm *comm, enum plane plane, size_t bytes)
{
    if (metric_watches_frequent())
        lane_count_sent(lane, comm, plane, METRIC_EAGER_MESSAGES, bytes);
}

static inline bool lane_is_spread(const struct comm *comm, enum plane plane)
{
    return __builtin_expect(comm->spread > 1, 0) && plane == PLANE_P2P;
}

/* Where a spread communicator's messages with this tag go. Neighbouring tags are apart, and multiples of 8.
 */
static inline int lane_of_tag(const struct comm *comm, int tag)
{
    unsigned t = (unsigned)tag;

    /* relaxed: a send while another thread takes the assertion back comes before or after that */
    if (atomic_load_explicit(&comm->is_ordered, memory_order_relaxed))
        return comm->lane;
    return (int)((t + (t >> 3) + (t >> 9)) % (unsigned)comm->spread);
}

/* The lane that a message to comm takes, which is that of this thread from now on. */
static inline struct lane *lane_to(const struct comm *comm, enum plane plane, int tag)
{
    int number = lane_is_spread(comm, plane) ? lane_of_tag(comm, tag) : comm->lane;

    if (__builtin_expect(lock_enabled, 0))
        lane_of_thread = number;
    return &lanes[number];
}

/* Lanes that a thread holds. */
struct lane_set {
    struct lane *first, *end;
};

static inline struct lane_set lane_set_of(struct lane *lane)
{
    return (struct lane_set){lane, lane + 1};
}

static inline bool lane_set_is_many(struct lane_set h)
{
    return h.end - h.first > 1;
}

/* Takes every lane that a message for a receive or probe of comm with this tag may come in. */
struct lane_set lane_take_spread(const struct comm *comm, int tag);
/* All lanes of a spread communicator. */
struct lane_set lane_take_all(const struct comm *comm);
void lane_release_all(struct lane_set h);

static inline void lane_take(struct lane *lane)
{
    lock_take_inline(&lane->lock);
}

static inline void lane_release(struct lane *lane)
{
    lock_release_inline(&lane->lock);
}

static inline struct lane_set lane_take_for(const struct comm *comm, enum plane plane, int tag)
{
    struct lane *lane;

    if (lane_is_spread(comm, plane))
        return lane_take_spread(comm, tag);
    lane = lane_to(comm, plane, tag);
    lane_take(lane);
    return lane_set_of(lane);
}

static inline void lane_release_set(struct lane_set h)
{
    if (__builtin_expect(lane_set_is_many(h), 0))
        lane_release_all(h);
    else
        lane_release(h.first);
}

/* Whether sends of this process wait for their receivers. The caller holds the lane. */
static inline bool lane_has_sends(const struct lane *lane)
{
    return !list_is_empty(&lane->rts_sent) || !list_is_empty(&lane->sending);
}

#endif
