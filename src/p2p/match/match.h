/* match: which receive gets which message (MPI-5.0 section 3.5), in constant time.
 *
 * Each communicator has, in each lane that it uses, one matching space per plane: posted receives and unexpected
 * messages, each with a hash table (match_hash.h). A posted receive lies under its own (source, tag); a wildcard
 * is a source or tag like any other. An arriving message looks under the at most four keys that could match it.
 * It takes the receive with the lowest stamp, the one posted first. An unexpected message lies under each key
 * that could ask for it (unexpected.h), so a receive or probe looks once. No search depends on depth.
 *
 * Keys that nobody will ask for are left out: (source, MPI_ANY_TAG) while mpi_assert_no_any_tag is in force,
 * (MPI_ANY_SOURCE, tag) while mpi_assert_no_any_source is, and both on the planes of the library itself, which
 * names source and tag. match_adapt files the messages anew when hints change. Keys are about speed only: a
 * look-up under a key that is left out (by another thread, while set_info runs) searches all messages.
 *
 * Lock: that of the lane guards everything here.
 */
#ifndef P2P_MATCH_MATCH_H
#define P2P_MATCH_MATCH_H

#include "comm/comm.h"
#include "p2p/lane.h"
#include "p2p/match/unexpected.h"
#include "p2p/p2p.h"
#include "plain/fail.h"

/* A receive that waits for its message; part of p2p's struct transfer. */
struct posted {
    struct link same; /* a ring of those with the same key, in order of posting */
    int32_t source, tag;
    uint64_t
        stamp; /* order of posting in this space, even; odd: an entry of an any-lane receive (any_lane.h) */
};

static inline bool match_is_any_lane(const struct posted *p)
{
    return p->stamp & 1;
}

struct match_space {
    struct match_hash posted;
    _Atomic uint32_t posted_count; /* any thread reads it, relaxed */
    uint64_t stamps;
    uint32_t wildcards;                     /* posted receives with any of these: */
    uint32_t any_source, any_tag, any_both; /* MPI_ANY_SOURCE alone, MPI_ANY_TAG alone, both */
    struct unexpected_store unexpected;
};

struct match {
    _Alignas(128) uint64_t context; /* other lanes' are other threads' */
    struct lane *lane;
    _Atomic int32_t users; /* transfers; while there are any, one reference of the communicator is theirs */
    struct match_space space[PLANE_COUNT];
    struct link link; /* in lane->matches */
    struct match *next_retired;
};

/* Those of this lane whose communicator is gone. */
void match_free_retired(struct lane *lane);
/* Those of all lanes, of which the caller holds none: a process that only sends to itself may never poll. */
void match_free_all_retired(void);

/* The matching state of a communicator in a lane; made on first use, with the orphans of its context. NULL:
 * no memory. */
struct match *match_new(struct comm *comm, struct lane *lane);
static inline struct match *match_of(struct comm *comm, struct lane *lane)
{
    struct match *match = comm->match[lane_number(lane)];

    return __builtin_expect(match != NULL, 1) ? match : match_new(comm, lane);
}
/* No message finds it any more: its communicator is revoked. */
void match_forget(struct match *match);
/* The same by context; NULL also when this process has no such communicator (yet). */
struct match *match_find(struct lane *lane, uint64_t context);

/* The hints of comm have changed: its point-to-point messages get the keys that they are asked for from now
 * on. Takes locks of lanes. */
void match_adapt(struct comm *comm);

/* How many receives and messages of the program wait in comm; any thread. */
uint64_t match_count_posted(const struct comm *comm);
uint64_t match_count_unexpected(const struct comm *comm);
/* How many messages of the program in comm have been filed under fewer keys, since it has promised to use no wildcards. Takes
 * locks of lanes. */
uint64_t match_count_filed(const struct comm *comm);

/* An empty space whose receives may name MPI_ANY_SOURCE, MPI_ANY_TAG. */
void match_space_init(struct match_space *space, bool any_source, bool any_tag);
/* Frees the unexpected messages and the tables. */
void match_space_fini(struct match_space *space);
bool match_post(struct match_space *space, struct posted *p, int source, int tag);
/* The receive posted last before p, of those that wait with the same source and tag; NULL: none. */
const struct posted *match_posted_before(struct match_space *space, const struct posted *p);
void match_unpost(struct match_space *space, struct posted *p);
/* All receives of the space, in an array for the caller to free; the job ends if there is no memory for it.
 */
struct posted **match_list_posted(struct match_space *space, uint32_t *count);
/* Takes the receive that this message matches out of the space; NULL if there is none. */
struct posted *match_arrival(struct match_space *space, int source, int tag);

/* Whether there is one. */
bool match_expects(struct match_space *space, int source, int tag);

/* Keeps a message for a communicator that is not there (yet); false: no memory, or too many are kept. */
bool match_keep_orphan(struct lane *lane, const struct arrival *arrival);
#endif
