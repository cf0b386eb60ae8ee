/* call: one collective operation on its way on this rank.
 *
 * Algorithms are straight sequences of the steps below. No step returns an error: the first one is kept in
 * call->error and later steps still communicate, so that no peer waits for ever for a rank that has failed.
 * call_start comes first, call_finish (which gives the error) last.
 */
#ifndef COLL_CALL_H
#define COLL_CALL_H

#include "comm/comm.h"
#include "datatype/datatype.h"
#include "op/op.h"

#include <stdbool.h>

struct request;

enum {
    CALL_POSTED_LIMIT = 32 /* operations in flight at once; bounds the memory of flat algorithms */
};

struct call {
    struct comm *comm;
    int rank, size;
    int tag;   /* of all messages of this collective */
    int error; /* the first one */
    int posted;
    struct request *post[CALL_POSTED_LIMIT]; /* the first `posted` are owned */
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

/* Takes the next collective's number. MPI_ERR_UNSUPPORTED_OPERATION on an intercommunicator. */
int call_start(struct call *call, struct comm *comm);
/* Completes what is posted; returns the first error. */
int call_finish(struct call *call);
/* Keeps the error of a step; 0 is none. */
void call_note(struct call *call, int error);

void call_send(struct call *call, struct block from, int dest);
void call_recv(struct call *call, struct block to, int source);
/* Both at once; between any set of ranks that exchange, no order of calls deadlocks. */
void call_exchange(struct call *call, struct block from, int dest, struct block to, int source);
/* Inside this process. */
void call_copy(struct call *call, struct block from, struct block to);

/* into[i] = from[i] op into[i], for as many items as both have. */
void call_reduce(const struct op *op, struct block from, struct block into);

/* Starts without waiting. When CALL_POSTED_LIMIT operations are in flight, first waits for all of them: the
 * peers must be able to complete those without anything that this rank has not yet posted. */
void call_post_send(struct call *call, struct block from, int dest);
void call_post_recv(struct call *call, struct block to, int source);
void call_wait_posted(struct call *call);

/* Memory for count items, to be freed with free(). When there is none, the error is noted and the block has
 * no items: the rank then serves its peers with empty messages. */
struct block call_scratch(struct call *call, MPI_Count count, struct datatype *type);

/* Bytes of a block, for choosing an algorithm. */
size_t block_bytes(struct block block);

#endif
