/* step: what one collective operation does on this rank, step by step.
 *
 * Algorithms are straight sequences of the steps below. No step returns an error: the first one is kept in
 * coll->error and later steps still communicate, so that no peer waits for ever for a rank that has failed.
 * coll_start comes first, coll_finish (which gives the error) last.
 */
#ifndef COLL_STEP_H
#define COLL_STEP_H

#include "comm/comm.h"
#include "datatype/datatype.h"
#include "op/op.h"

#include <stdbool.h>

struct request;

enum {
    STEP_POSTED_LIMIT = 32 /* operations in flight at once; bounds the memory of flat algorithms */
};

/* The collective operation under way. */
struct coll {
    struct comm *comm;
    int rank, size;
    int tag;   /* of all messages of this collective */
    int error; /* the first one */
    int posted;
    struct request *post[STEP_POSTED_LIMIT]; /* the first `posted` are owned */
};

/* A run of items in memory. */
struct block {
    void *at;
    MPI_Count count;
    struct datatype *type;
};

/* The block that `displacement` items behind `base` starts. */
static inline struct block block_at(const void *base, MPI_Count displacement, MPI_Count count,
                                    struct datatype *type)
{
    return (struct block){(char *)(uintptr_t)base + displacement * type->extent, count, type};
}

/* At most `count` items of a block from its item `first` on. */
struct block block_slice(struct block block, MPI_Count first, MPI_Count count);
/* How many items of a type are moved and combined at a time, so that they stay in a core's cache. */
MPI_Count block_portion(const struct datatype *type);
/* Bytes of data in a block, for choosing an algorithm: the same on all ranks, whatever their datatypes. */
size_t block_bytes(struct block block);

/* Takes the next collective's number. MPI_ERR_UNSUPPORTED_OPERATION on an intercommunicator. */
int coll_start(struct coll *coll, struct comm *comm);
/* Completes what is posted; returns the first error. */
int coll_finish(struct coll *coll);
/* Keeps the error of a step; 0 is none. */
void step_note(struct coll *coll, int error);

void step_send(struct coll *coll, struct block from, int dest);
void step_recv(struct coll *coll, struct block to, int source);
/* Both at once; between any set of ranks that exchange, no order of calls deadlocks. */
void step_exchange(struct coll *coll, struct block from, int dest, struct block to, int source);
/* Inside this process. */
void step_copy(struct coll *coll, struct block from, struct block to);

/* into[i] = from[i] op into[i], for as many items as both have. */
void step_reduce(const struct op *op, struct block from, struct block into);

/* Starts without waiting. When STEP_POSTED_LIMIT operations are in flight, first waits for all of them: the
 * peers must be able to complete those without anything that this rank has not yet posted. */
void step_post_send(struct coll *coll, struct block from, int dest);
void step_post_recv(struct coll *coll, struct block to, int source);
void step_wait_posted(struct coll *coll);

/* Memory for count items, to be freed with step_free. When there is none, the error is noted and the block
 * has no items: the rank then serves its peers with empty messages. */
struct block step_scratch(struct coll *coll, MPI_Count count, struct datatype *type);
void step_free(struct block scratch); /* as step_scratch gave it */

#endif
