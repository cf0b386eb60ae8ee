/* coll_call: one collective call of this rank, whatever the collective. Its body (coll.h) describes it, and it is constant from then on:
 * dispatch.c chooses an algorithm, whose builder in the file of the collective names steps, and the engine of schedules (sched/) or that
 * of shared memory (shm/engine.h) takes them.
 */
#ifndef COLL_COLL_CALL_H
#define COLL_COLL_CALL_H

#include "coll/choice.h"
#include "coll/sched/schedule.h"
#include "op/op.h"

/* The blocks by rank where there are several; one side may be empty. */
struct coll_places {
    struct places from, to; /* what goes to each rank, what comes from it */
    bool is_in_place;       /* reduce_scatter, alltoall: `from` lies where the result goes */
};

struct coll_call {
    const struct choice_list *list; /* of the collective */
    int root;             /* of those that have one; COLL_SCAN: 1 leaves out the own vector; else 0 */
    bool is_irregular;    /* blocks of several lengths, or known to some ranks only: see shm/irregular.h */
    struct coll_block in; /* what this rank contributes, if it does; alltoall, a scatter's root: all blocks */
    struct coll_block out;            /* the result; allgather, alltoall, a gather's root: all blocks */
    size_t bytes;                     /* of the contribution of each rank that has one */
    MPI_Count first;                  /* reduce_scatter: the item where this rank's piece begins */
    const struct op *op;              /* of reductions */
    const struct coll_places *places; /* used while the call is made; kept for a request where is_irregular */
};

#endif
