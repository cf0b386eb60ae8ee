/* coll_call: one collective call of this rank, whatever the collective. Its body (coll.h) describes it, dispatch.c
 * chooses an algorithm, and a builder of algo or the engine of shm carries it out. */
#ifndef COLL_COLL_CALL_H
#define COLL_COLL_CALL_H

#include "coll/choice.h"
#include "coll/sched/schedule.h"
#include "op/op.h"

struct mailboxes;
struct coll_call;

/* The steps of a call by an algorithm of the table. */
typedef void coll_build(struct schedule *s, const struct coll_call *call, enum algorithm algorithm);

/* The blocks by rank where there are several; one side may be empty. */
struct coll_places {
    struct places from, to; /* what goes to each rank, what comes from it */
    bool is_in_place;       /* reduce_scatter, alltoall: `from` lies where the result goes */
    struct comm *comm;      /* owner of this and the next two: irregular.c; whose call it is, ... */
    coll_build *build;      /* ... and for what does not go through mailboxes: its steps, ... */
    int number;             /* ... the number of its messages, see schedule.h ... */
    uint64_t senders;       /* ... and the ranks that send this one some: bits */
};

struct coll_call {
    enum collective collective;
    int root;             /* of those that have one; COLL_SCAN: 1 leaves out the own vector; else 0 */
    struct coll_block in; /* what this rank contributes, if it does; alltoall, a scatter's root: all blocks */
    struct coll_block out; /* the result; allgather, alltoall, a gather's root: all blocks */
    size_t bytes;          /* of the contribution of each rank that has one */
    /* reduce_scatter: the item where this rank's piece begins; bcast, owner: shm: the byte where this portion does */
    MPI_Count first;
    const struct op *op;        /* of reductions */
    struct coll_places *places; /* used while the call is made; kept for a request where is_irregular */

    struct mailboxes *boxes; /* owner of this and what follows: shm */
    uint64_t sequence;
    unsigned char *payload; /* of the contribution, in this rank's mailbox */
    uint32_t polls;         /* in vain, so far */
    int error;
    uint32_t tag;        /* of its line: what all ranks agree on, see shm_coll.h */
    uint8_t next, until; /* this rank polls ranks up to `until`; those before `next` have published */
    uint8_t stage, then; /* enum engine_stage: now, and with the next sequence number; done: there is none */
    uint8_t bounce_log;  /* log2 of the bytes of `bounce`; 0: it is not cached */
    bool is_irregular;   /* blocks of several lengths, or known to some ranks only: see irregular.h */
    bool is_idle;        /* irregular: this rank has no part in it */
    bool has_messages;   /* irregular: some of its blocks do not go through mailboxes */
    bool is_published;   /* or there is nothing to publish */
    bool is_header_published; /* the others see that this rank is here */
    bool is_direct;           /* single copy, see direct.h */
    bool is_exposed : 1;      /* others may access the buffers; bits, since requests have little room */
    bool in_bounces : 1, out_bounces : 1;
    union {
        unsigned char *bounce;    /* direct: owned; memory in place of buffers that others cannot access */
        struct request *messages; /* irregular: owned, those in flight; NULL: none yet */
    };
};

#endif
