/* block: runs of items in memory, and how a vector is cut into one piece for each rank. */
#ifndef COLL_BLOCK_H
#define COLL_BLOCK_H

#include "base/counts.h"
#include "datatype/datatype.h"

#include <stdbool.h>
#include <stddef.h>

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
static inline size_t block_bytes(struct block block)
{
    return (size_t)block.count * (size_t)block.type->size;
}

/* A block without data, as barriers send it. */
struct block block_empty(void);

/* The pieces of a vector, in rank order. */
struct cut {
    struct counts counts; /* lengths of the pieces, in items, when given */
    MPI_Count each, rest; /* otherwise: `each` items, and one more for the first `rest` ranks */
};
struct cut cut_evenly(MPI_Count count, int size);
MPI_Count cut_length(const struct cut *cut, int rank);
MPI_Count cut_offset(const struct cut *cut, int rank);
/* The piece of `rank` in the vector that `whole` starts; those of the ranks from `rank` to below `end`. */
struct block cut_piece(const struct cut *cut, struct block whole, int rank);
struct block cut_pieces(const struct cut *cut, struct block whole, int rank, int end);

/* Where each rank's items are in a buffer that holds those of all: equal blocks, or counts and displacements,
 * or a datatype for each rank as well. */
struct places {
    const void *base;
    MPI_Count each;               /* equal blocks, in rank order, when counts are not given */
    struct counts counts, displs; /* displs in items, in bytes when types are given */
    struct datatype *type;
    struct datatype *const *types;
};
struct block place_of(const struct places *places, int rank);

#endif
