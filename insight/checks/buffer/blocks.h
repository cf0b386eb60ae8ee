/* blocks: the buffers that a collective reads and writes on a rank: one of contiguous blocks, or many by arrays of counts and
 * displacements.
 *
 * The arrays are copied: a program may have them on the stack of a function that returns too early, which is an error of its own.
 */
#ifndef INSIGHT_CHECKS_BUFFER_BLOCKS_H
#define INSIGHT_CHECKS_BUFFER_BLOCKS_H

#include "insight/objects/comm_record.h"

enum {
    BLOCKS = 64
};

struct buffer_block {
    const char *buffer;
    int64_t count;
    MPI_Datatype type;
};

struct blocks {
    uint64_t sum; /* 0: not begun, or a type is not known */
    int count;
    struct buffer_block block[BLOCKS];
};

/* False: none, or one of arrays. A broadcast's root has its buffer in both. */
bool blocks_sent_as_one(const struct intercept *call, struct buffer_block *sent);
bool blocks_written_as_one(const struct intercept *call, struct buffer_block *written);
/* NULL: the call has none on this rank, by other arguments, or more than are looked at. The caller frees them. */
struct blocks *blocks_sent(const struct intercept *call, const struct comm_record *comm);
struct blocks *blocks_received(const struct intercept *call, const struct comm_record *comm);
/* Sums them up; `blocks` may be NULL, also below. */
void blocks_begin(struct blocks *blocks);
bool blocks_are_as_they_were(const struct blocks *blocks);
/* The first block that has a byte in common with one before it, or with a buffer; -1: none. */
int blocks_find_double(const struct blocks *blocks);
int blocks_find_overlap(const struct blocks *blocks, const void *buffer, int64_t count, MPI_Datatype type);

#endif
