/* in_host: the part of an algorithm of two levels that lies in one host, along a tree in the memory of its ranks (sched/lines.h); where there
 * is none, by messages. Data flow to one rank, the host's *speaker*, or from it.
 *
 *     struct in_host host;
 *
 *     in_host_open(&host, s, call, speaker);
 *     in_host_reduce(&host, input, result);
 *     ... the speakers exchange messages, and wait for them ...
 *     in_host_bcast(&host, result);
 *     in_host_close(&host);
 *
 * At most one of each direction, that to the speaker first. The schedule is in its whole communicator again at the end.
 */
#ifndef COLL_ALGO_IN_HOST_H
#define COLL_ALGO_IN_HOST_H

#include "coll/coll_call.h"

struct in_host {
    struct schedule *s;
    struct schedule_team team; /* the ranks of this host */
    int speaker;               /* position in it */
    struct host_tree *tree;    /* NULL: by messages */
    int toward;                /* the neighbour on the way to the speaker */
    int neighbours, self;      /* how many there are, this rank among them */
};

/* All ranks, where they are on one host. */
static inline struct schedule_team in_host_all(const struct schedule *s)
{
    return s->team;
}
/* The first step of a schedule: team of this host, its speaker by position. */
void in_host_open(struct in_host *host, struct schedule *s, const struct coll_call *call,
                  struct schedule_team team, int speaker);
/* The same for all ranks, of whose contributions all together pass through one. */
void in_host_open_all(struct in_host *host, struct schedule *s, const struct coll_call *call, int speaker);
/* Commutative operations only: combines the inputs into `result` on the speaker. Elsewhere that is not looked at. */
void in_host_reduce(struct in_host *host, struct coll_block input, struct coll_block result);
void in_host_bcast(struct in_host *host, struct coll_block b);
/* Gathers `each` items of this type from every rank. `all`, which is looked at on the speaker only, has room for them one behind the other; a
 * rank's have place in_host_place among them. */
void in_host_gather(struct in_host *host, struct coll_block mine, struct datatype *type, MPI_Count each,
                    struct coll_block all);
int in_host_place(const struct in_host *host, int rank);
/* The ranks in the order of their places. */
const int *in_host_order(const struct in_host *host);
/* The speaker goes on when all ranks are here; the others when it has called the second. */
void in_host_arrive(struct in_host *host);
void in_host_release(struct in_host *host);
void in_host_close(struct in_host *host);

#endif
