/* irregular: collectives of which not every rank knows how many bytes the others have, through mailboxes: gatherv, scatterv, and a
 * broadcast between two groups, where the root's group knows nothing.
 *
 * All ranks must choose alike, so they take mailboxes whatever they have to move. Whoever contributes decides how: a few bytes go
 * through its mailbox, and more of a broadcast to several ranks. For all else it publishes only that they come by messages. These are a
 * schedule of the ranks that have some, under a number that all ranks have taken.
 */
#ifndef COLL_SHM_IRREGULAR_H
#define COLL_SHM_IRREGULAR_H

#include "coll/shm/engine.h"

/* What a run has besides. Owner: the run. */
struct irregular {
    struct comm *comm;        /* whose call it is */
    struct request *messages; /* owned, those in flight; NULL: none yet */
    uint64_t senders;         /* the ranks that send this one messages: bits */
    int number;               /* of the schedule of its messages, see schedule.h */
    bool is_idle;             /* this rank has no part in it */
    bool has_messages;        /* some of its blocks do not go through mailboxes */
};

/* Whether a call is one of these. All ranks know the lengths of an allgatherv. */
static inline bool irregular_is(const struct coll_call *call)
{
    return call->is_irregular && call->list->collective != COLL_ALLGATHER;
}

/* All ranks of comm, of both groups, have chosen mailboxes for this call. */
void irregular_begin(struct shm_run *run, struct irregular *irregular, struct comm *comm);

static inline bool irregular_is_idle(const struct shm_run *run)
{
    return run->irregular->is_idle;
}

/* For `put`. Publishes the bytes that `pack` stores; or, where they are more than `most`, that they come by messages. False: not yet. */
bool irregular_put(struct shm_run *run, size_t bytes, size_t most,
                   void pack(struct shm_run *run, unsigned char *to));
/* The block that this rank sends. */
void irregular_pack_input(struct shm_run *run, unsigned char *to);
/* For `take`. Whether rank `r` has no messages for this one. */
bool irregular_has_published(const struct shm_run *run, int r);
/* Copies `bytes` bytes out that rank `r` has published for this one, which must be as many as are due. */
void irregular_take(struct shm_run *run, int r, const unsigned char *data, size_t bytes,
                    struct coll_block to);

/* The same of all that it has published. */
void irregular_take_line(struct shm_run *run, int r, struct coll_block to);

/* For engine.c. Rank `r` has published that its contribution comes by messages. */
void irregular_expect(struct shm_run *run, int r);

/* The engine is done with the call: sends and receives what comes by messages. */
int irregular_finish(struct shm_run *run);
/* The same without waiting; true when the call is over. To be called until it is. */
bool irregular_advance(struct shm_run *run);

#endif
