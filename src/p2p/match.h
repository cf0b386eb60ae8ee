/* match: which receive gets which message (MPI-5.0 section 3.5), in constant time.
 *
 * Each communicator has one matching space per plane, of two hash tables each: posted receives and
 * unexpected messages. A posted receive lies under its own (source, tag), wildcards included as such; an
 * arriving message looks under the at most four keys that could match it and takes the receive with the
 * lowest stamp, that is, the one posted first. An unexpected message lies under all four keys that could find
 * it, so a receive or probe looks once. Chains are in order of arrival, so MPI's order holds, and no search
 * depends on depth.
 *
 * Lock: everything here belongs to the holder of the p2p engine's lock.
 */
#ifndef P2P_MATCH_H
#define P2P_MATCH_H

#include "comm/comm.h"
#include "net/net.h"
#include "p2p/p2p.h"

/* A link that remembers its key. */
struct key_link {
    struct link link;
    int32_t source, tag;
};

struct key_table {
    struct link *bucket; /* NULL until first used */
    uint32_t mask;       /* buckets - 1 */
    uint32_t count;
};

enum unexpected_key {
    BY_BOTH,
    BY_SOURCE,
    BY_TAG,
    BY_NONE,
    UNEXPECTED_KEYS
};

/* A message that came before its receive. */
struct unexpected {
    struct key_link key[UNEXPECTED_KEYS];
    struct link orphan; /* while no communicator has its context */
    struct message message;
    struct peer *from;
    _Alignas(16) unsigned char payload[];
};

/* A receive that waits for its message; part of p2p's struct transfer. */
struct posted {
    struct key_link key;
    uint64_t stamp; /* order of posting in this space */
};

struct match_space {
    struct key_table posted, unexpected;
    uint64_t stamps;
    uint32_t any_source, any_tag, any_both; /* posted receives with these wildcards */
};

struct match {
    uint64_t context;
    struct match_space space[PLANE_COUNT];
    struct match *next_dead; /* in match_dead */
};

/* Those whose communicator is gone, pushed by any thread; freed under the engine's lock. */
extern _Atomic(struct match *) match_dead;
void match_free_dead(void);

/* The matching state of a communicator; made on first use, with the orphans of its context. NULL: no memory.
 */
struct match *match_of(struct comm *comm);
/* The same by context; NULL also when this process has no such communicator (yet). */
struct match *match_find(uint64_t context);

bool match_post(struct match_space *space, struct posted *p, int source, int tag);
void match_unpost(struct match_space *space, struct posted *p);
/* Takes the receive that this message matches out of the space; NULL if there is none. */
struct posted *match_arrival(struct match_space *space, int source, int tag);

/* Keeps a copy of an arrival; false: no memory. A NULL space makes it an orphan. */
bool match_keep(struct match_space *space, const struct arrival *arrival);
/* The message that a receive with this source and tag would get; NULL if there is none. */
struct unexpected *match_look(struct match_space *space, int source, int tag);
void match_take(struct match_space *space, struct unexpected *u); /* out of the space; the caller frees it */

#endif
