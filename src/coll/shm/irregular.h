/* irregular: collectives of which not every rank knows how many bytes the others have, through mailboxes:
 * gatherv, scatterv, and a broadcast between two groups, where the root's group knows nothing.
 *
 * All ranks must choose alike, so they take mailboxes whatever they have to move. Whoever contributes decides
 * how: a few bytes go through its mailbox, and more of a broadcast to several ranks. For all else it publishes only that
 * they come by messages. These are a schedule of the ranks that have some, under a number that all ranks have taken.
 *
 * The line of a scatterv's root has, for each rank, where its bytes end; behind that are the bytes. Any other
 * line is for all who read it, and has the bytes.
 */
#ifndef COLL_SHM_IRREGULAR_H
#define COLL_SHM_IRREGULAR_H

#include "coll/shm/shm_coll.h"

/* Whether a call is one of these. All ranks know the lengths of an allgatherv. */
static inline bool irregular_is(const struct coll_call *call)
{
    return call->is_irregular && call->list->collective != COLL_ALLGATHER;
}

/* All ranks of comm, of both groups, have chosen mailboxes for this call. */
void irregular_begin(struct comm *comm, struct coll_call *call);

/* For engine.c. Publishes this rank's contribution. False: not yet. */
bool irregular_put(struct coll_call *call);
/* Rank `r` has published that its contribution comes by messages. */
void irregular_expect(struct coll_call *call, int r);
/* All that this rank needs is published: copies it out. */
void irregular_take(struct coll_call *call);

/* The engine is done with the call: sends and receives what comes by messages. */
int irregular_finish(struct coll_call *call);
/* The same without waiting; true when the call is over. To be called until it is. */
bool irregular_advance(struct coll_call *call);

#endif
