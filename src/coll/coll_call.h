/* coll_call: one collective call of this rank, whatever the collective. Its body (coll.h) describes it, dispatch.c
 * chooses an algorithm, and a builder in the file of the collective or the engine of shm carries it out. */
#ifndef COLL_COLL_CALL_H
#define COLL_COLL_CALL_H

#include "coll/choice.h"
#include "coll/sched/schedule.h"
#include "op/op.h"

struct mailboxes;

/* The blocks by rank where there are several; one side may be empty. */
struct coll_places {
    struct places from, to; /* what goes to each rank, what comes from it */
    bool is_in_place;       /* reduce_scatter, alltoall: `from` lies where the result goes */
    struct comm *comm;      /* owner of this and the next two: irregular.c; whose call it is, ... */
    int number; /* ... the number of its messages by schedules, for what does not go through mailboxes, ... */
    uint64_t senders; /* ... and the ranks that send this one some: bits */
};

struct coll_call {
    const struct choice_list *list; /* of the collective */
    struct coll_block in; /* what this rank contributes, if it does; alltoall, a scatter's root: all blocks */
    struct coll_block out; /* the result; allgather, alltoall, a gather's root: all blocks */
    size_t bytes;          /* of the contribution of each rank that has one */
    /* reduce_scatter: the item where this rank's piece begins; bcast, owner: shm: the byte where this portion does */
    MPI_Count first;
    const struct op *op;        /* of reductions */
    struct coll_places *places; /* used while the call is made; kept for a request where is_irregular */
    int root;                   /* of those that have one; COLL_SCAN: 1 leaves out the own vector; else 0 */

    int error;
    struct mailboxes *boxes; /* owner of this and what follows: shm */
    uint64_t sequence;
    unsigned char *payload; /* of the contribution, in this rank's mailbox */
    uint32_t polls;         /* in vain, so far */
    uint32_t tag;           /* of its line: what all ranks agree on, see shm_coll.h */
    uint8_t next, until;    /* this rank polls ranks up to `until`; those before `next` have published */
    uint8_t stage, then; /* enum engine_stage: now, and with the next sequence number; done: there is none */
    uint8_t bounce_log;  /* log2 of the bytes of `bounce`; 0: it is not cached */
    bool is_published;   /* or there is nothing to publish */
    bool is_header_published; /* the others see that this rank is here */
    bool
        is_irregular : 1; /* blocks of several lengths, or known to some ranks only: see irregular.h; bits, since requests have little room */
    bool is_idle : 1;     /* irregular: this rank has no part in it */
    bool has_messages : 1; /* irregular: some of its blocks do not go through mailboxes */
    bool is_direct : 1;    /* single copy, see direct.h */
    bool is_exposed : 1;   /* others may access the buffers */
    bool in_bounces : 1, out_bounces : 1;
    union {
        unsigned char *bounce;    /* direct: owned; memory in place of buffers that others cannot access */
        struct request *messages; /* irregular: owned, those in flight; NULL: none yet */
    };
};

#endif
